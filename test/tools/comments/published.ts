import type { AccountRow } from '#db/access/accounts.ts';
import { NEVER } from '#db/schema/database.ts';
import type { Stage } from '../../harness/worlds/social.ts';

/** One target of a post: public under the platform's id, unless it is none yet. */
type Published = Readonly<{ account: AccountRow; post: string | null; page?: string }>;

/** A post of ours as it stands once its targets have been published; answers its id. */
export async function publish({ world }: Pick<Stage, 'world'>, targets: readonly Published[]): Promise<string> {
  const { body } = await world.rest('POST /v1/posts', { text: 'News' });
  const rows = targets.map(({ account: { id, brand_id, platform }, post, page }, position) => ({
    id: `tgt_${body.id}_${position}`,
    post_id: body.id as string,
    workspace_id: world.workspaceId,
    account_id: id,
    brand_id,
    platform,
    position,
    page_id: page ?? null,
    overrides: {},
    status: post === null ? ('pending' as const) : ('published' as const),
    due_at: NEVER,
    round: 0,
    action: 'publish' as const,
    attempts: 1,
    repeats: 0,
    lease_until: 0,
    platform_post_id: post,
    unsettled: 0 as const,
    metadata: {},
    fingerprint: 'none',
    created_at: world.clock.now(),
  }));
  await world.product.store.write(({ db }) => db.insertInto('targets').values(rows).execute());
  return body.id;
}
