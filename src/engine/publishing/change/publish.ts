import { movePost, patchPost, type PostRow } from '#db/posts/posts.ts';
import { listTargets, patchTarget } from '#db/posts/targets.ts';
import type { Store } from '#db/store/store.ts';
import type { Tx } from '#db/store/tx.ts';
import type { Call } from '#call/context.ts';
import type { Workspace } from '#kernel/authority.ts';
import type { Clock } from '#kernel/clock.ts';
import { LEASE_MS } from '../../jobs/lease.ts';
import type { InRequest } from '../attempt/in-request.ts';
import { addressedOf, refuseOverLimit, type ComposeDeps } from '../content/addressing.ts';
import { composePost } from '../content/compose.ts';
import { contentOf } from '../content/content.ts';
import { wouldBeOrphaned, refuseDead, refuseFetchedLater, refuseOrphaned, refuseUnfit } from '../content/refusals.ts';
import { refuseChanged, refuseUnseen, stateInvalid, type PostLookup, type Requester } from '../read/lookup.ts';
import type { WirePost } from '../read/present-post.ts';
import { MOVES } from '../state/machine.ts';

/** Starts publishing all targets now and returns their lease; undefined if the post has changed since it was read. */
async function beginPublish(tx: Tx, post: PostRow, workspace: Workspace, now: number): Promise<string | undefined> {
  if (!(await movePost(tx.db, post, MOVES.publish, { status: 'publishing', updated_at: now }))) return undefined;
  if (post.charged === null) await patchPost(tx.db, post.id, { charged: await tx.charge('posts', workspace, 1) });
  const token = tx.process.newToken();
  const until = now + LEASE_MS;
  for (const target of await listTargets(tx.db, [post.id])) {
    await patchTarget(tx.db, target.id, {
      status: 'publishing',
      started_at: now,
      attempts: target.attempts + 1,
      lease_token: token,
      lease_until: until,
      due_at: until,
    });
  }
  return token;
}

type Publishing = Requester & Partial<Pick<Call, 'progress'>>;
type PublishDeps = Readonly<{
  store: Store;
  clock: Clock;
  composing: ComposeDeps;
  lookup: PostLookup;
  inRequest: InRequest;
}>;

export function makePublish({ store, clock, composing, lookup, inRequest }: PublishDeps) {
  /** Checks that the post may be published as it is; `ifUpdatedAt` is the last change that the caller knows of. */
  async function accept({ authority, workspace, seen }: Requester, id: string, ifUpdatedAt: number | undefined) {
    const { post, targets } = await lookup.owned(authority, id);
    refuseChanged(post, ifUpdatedAt);
    refuseUnseen(post, seen);
    if (!MOVES.publish.includes(post.status)) {
      const failed = post.status === 'failed' || post.status === 'partial';
      const next = failed ? 'Publish its failed targets with retry_post.' : undefined;
      stateInvalid(post, `A ${post.status} post cannot be published.`, next);
    }
    const addressed = await addressedOf(store.db, workspace.id, targets);
    if (wouldBeOrphaned(addressed, targets)) refuseOrphaned(targets);
    // A scheduled post was checked when it was scheduled, unless validation was skipped.
    const accepted = post.status === 'scheduled';
    if (!accepted) {
      refuseOverLimit(composing, workspace, addressed);
      const overrides = targets.map((target) => target.overrides);
      refuseFetchedLater(contentOf(post), overrides);
    }
    const composed = await composePost(composing, workspace.id, contentOf(post), addressed);
    await refuseUnfit(composing, composed, { skipValidation: accepted, known: undefined });
    refuseDead(addressed);
    return post;
  }

  return async function publish(
    { progress = () => {}, ...requester }: Publishing,
    id: string,
    ifUpdatedAt?: number,
  ): Promise<WirePost> {
    const { authority, workspace } = requester;
    const token = await lookup.contested(id, async () => {
      const post = await accept(requester, id, ifUpdatedAt);
      return store.write(async (tx) => {
        const begun = await beginPublish(tx, post, workspace, clock.now());
        if (begun !== undefined) await tx.key?.record({ id });
        return begun;
      });
    });
    await inRequest.run(id, token, progress);
    return inRequest.answerPublished(authority, id);
  };
}
