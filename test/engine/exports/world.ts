import { DAY } from '#kernel/clock.ts';
import { readXlsx } from 'hucre/xlsx';
import type { PlatformSlug } from '#kernel/platforms.ts';
import type { PlanTier } from '#kernel/plans.ts';
import type { ListedPost } from '#platforms/posts.ts';
import type { InboundScript } from '../../harness/platforms/inbound.ts';
import type { Json } from '../../harness/world.ts';
import { accountWorld } from '../../harness/worlds/account.ts';

const NEWEST = Date.UTC(2026, 0, 15);

/** Posts of an account, newest first, a day apart. */
export const postsOf = (count: number): readonly ListedPost[] =>
  Array.from({ length: count }, (_, at) => ({
    platform_post_id: `p${at}`,
    permalink: `https://told.test/p${at}`,
    text: `Post ${at}`,
    created_at: NEWEST - at * DAY,
    media: [{ type: 'image', url: `https://told.test/p${at}.png` }],
    metrics: { likes: at, comments: 1, shares: 2, saves: 3, extra: { views: 100 * at, quotes: 4 } },
  }));

/** A world with an account whose posts can be exported; exports are worked on when `settle` is called. */
export async function exportWorld(
  told: Partial<InboundScript> = { posts: postsOf(3) },
  {
    plan = 'enterprise',
    slug = 'facebook',
    env = {},
  }: Readonly<{ plan?: PlanTier; slug?: PlatformSlug; env?: Readonly<Record<string, string>> }> = {},
) {
  const { world, telling, accountId } = await accountWorld(told, slug, { DEFAULT_PLAN: plan, ...env });
  await world.product.pollers.find(({ name }) => name === 'exports')!.stop();
  /** Starts an export; answers its id. */
  async function begin(asked: object = {}): Promise<string> {
    const { status, body } = await world.rest(`POST /v1/accounts/${accountId}/export`, asked);
    if (status !== 202) throw new Error(JSON.stringify(body));
    return body.id as string;
  }
  const look = async (id: string): Promise<Json> => (await world.rest(`GET /v1/exports/${id}`)).body;
  /** Starts an export, and lets it come to its end. */
  async function finished(asked: object = {}): Promise<Json> {
    const id = await begin(asked);
    await world.settle();
    return look(id);
  }
  return { world, telling, accountId, begin, look, finished };
}

/** What stands behind the address of a file. */
export async function download(url: string): Promise<Response> {
  return fetch(url, { redirect: 'manual' });
}

/** The rows of the spreadsheet of an export, the headers first. */
export async function rowsOf(exported: Json) {
  const answer = await download(exported.result.excel_url);
  const { sheets } = await readXlsx(new Uint8Array(await answer.arrayBuffer()));
  return sheets[0]!.rows;
}
