import { patchPost, type PostRow } from '../../../../db/posts/posts.ts';
import type { Store } from '../../../../db/store/store.ts';
import { listTargets, type TargetRow } from '../../../../db/posts/targets.ts';
import type { Authority, Workspace } from '../../../kernel/authority.ts';
import type { Progress } from '../../../call/context.ts';
import { sleep, within, type Clock } from '../../../kernel/clock.ts';
import { fail } from '../../../kernel/errors.ts';
import { changedFields, isEdit, merged, type Changes } from '../content/changes.ts';
import { acceptDraft, refuseTargetless, refuseUnfit, type Draft } from '../create/accept.ts';
import {
  addressedOf,
  addressedWithKinds,
  addressTargets,
  makeAddressBook,
  refuseOutgrown,
  type AddressedTarget,
  type ComposeDeps,
} from '../content/addressing.ts';
import { contentOf, parseOverrides, withKinds } from '../content/content.ts';
import { createPost, refuseDead, refuseEmpty, refusePast } from '../create/create.ts';
import { editPost } from './edit.ts';
import { stateInvalid, type PostLookup, type Owned } from '../read/lookup.ts';
import { MOVES } from '../state/machine.ts';
import { beginPublish } from './publish.ts';
import type { WirePost } from '../read/records.ts';
import { retryPost, type makeRetry } from './retry.ts';
import type { Worker } from '../attempt/worker.ts';

type Deps = Readonly<{
  store: Store;
  clock: Clock;
  composing: ComposeDeps;
  finding: PostLookup;
  retryable: ReturnType<typeof makeRetry>;
  runTarget(id: string, token: string): Promise<void>;
  worker: Worker;
  waitMs: number;
}>;

const silent: Progress = () => {};
/** How often a post that another request publishes is looked at. */
const LOOK_MS = 250;

/** Whether a post has targets, and none of their accounts is there any more. */
function isStranded(addressed: readonly AddressedTarget[], targets: readonly TargetRow[]): boolean {
  return addressed.length === 0 && targets.length > 0;
}

function refuseStranded([first]: readonly TargetRow[]): never {
  const message = `The account ${first!.account_id} of this post was removed.`;
  const next = 'Name other accounts in targets with update_post.';
  fail('account.not_found', { message, next, meta: { resource: 'account', id: first!.account_id } });
}

/** Everything that makes, changes and publishes posts. */
export function makeMoving(deps: Deps) {
  const { store, clock, composing, finding } = deps;

  /** Runs the targets leased to this request and waits for all of them, but not for ever. */
  async function runHere(id: string, token: string, progress: Progress): Promise<void> {
    const targets = (await listTargets(store.db, [id])).filter(({ lease_token }) => lease_token === token);
    let ended = 0;
    const runs = targets.map(async ({ id: target, platform }) => {
      await deps.runTarget(target, token);
      progress((ended += 1), targets.length, `${platform} has answered`);
    });
    for (const run of runs) deps.worker.track(run);
    await within(clock, deps.waitMs, Promise.all(runs));
  }

  /** A post none of whose targets could be published is an error that carries the post (catalogues §7-6). */
  async function answerPublished(authority: Authority, id: string): Promise<WirePost> {
    const post = await finding.answer(authority, id);
    if (post.status === 'failed') fail('post.publish_failed', { meta: { id }, beside: post });
    return post;
  }

  async function edit(authority: Authority, workspace: Workspace, { post, targets: old }: Owned, changes: Changes) {
    if (!MOVES.edit.includes(post.status)) stateInvalid(post, `A ${post.status} post cannot be edited.`);
    if (changes.scheduledAt !== undefined && !MOVES.schedule.includes(post.status)) {
      stateInvalid(post, 'A failed post is not scheduled again.', 'Publish it now with retry_post.');
    }
    // A draft has no time to withdraw.
    const scheduledAt = changes.scheduledAt === null && post.status === 'draft' ? undefined : changes.scheduledAt;
    const before = { content: contentOf(post), targets: old };
    const content = merged(before.content, changes.content);
    const known = changes.targets && (await makeAddressBook(composing, authority, changes.targets));
    const targets = known && addressTargets(composing, changes.targets, known);
    if (targets) refuseTargetless(authority, targets);
    const effective = targets ?? (await addressedOf(store.db, workspace.id, old));
    const scheduling = typeof scheduledAt === 'number';
    const times = scheduling || targets ? effective.map(({ scheduled_at }) => scheduled_at) : [];
    for (const at of [scheduledAt, ...times]) if (typeof at === 'number') refusePast(at, clock.now());
    const goesOut = scheduling || (scheduledAt === undefined && post.status !== 'draft');
    // Whom it would go to is not asked of a change of content while there is nobody.
    const stranded = targets === undefined && isStranded(effective, old);
    if (stranded && scheduling) refuseStranded(old);
    if (stranded && goesOut) {
      refuseEmpty(
        content,
        old.map(({ overrides }) => parseOverrides(overrides)),
      );
    }
    const live = goesOut && !stranded;
    const { skipValidation } = changes;
    if (scheduling && post.status === 'draft') await refuseOutgrown(composing, workspace.id, effective);
    const asked = { content, targets: effective };
    const described = await refuseUnfit(composing, workspace, asked, { live, skipValidation }, known);
    if (scheduling && post.status === 'draft') refuseDead(effective);
    const after = {
      content: withKinds(content, described),
      targets: targets && addressedWithKinds(targets, described),
      scheduledAt,
    };
    const changed = changedFields(post, before, after);
    const { hidden } = changes;
    if (changed.length === 0) return hidden === undefined || (await hide(post, hidden));
    const stored = { post, workspace, ...after, hidden, changed };
    return (await store.write((tx) => editPost(tx, stored, clock.now()))) || undefined;
  }

  async function hide(post: PostRow, hidden: boolean): Promise<true> {
    await store.write((tx) => patchPost(tx.db, post.id, { hidden: hidden ? 1 : 0, updated_at: clock.now() }));
    return true;
  }

  return Object.freeze({
    async create(
      authority: Authority,
      workspace: Workspace,
      draft: Draft,
      progress: Progress = silent,
    ): Promise<WirePost> {
      const known = await makeAddressBook(composing, authority, draft.targets);
      const post = await acceptDraft(composing, { authority, workspace }, draft, known, clock.now());
      const made = await store.write(async (tx) => {
        const begun = await createPost(tx, post, clock.now());
        await tx.key?.record({ id: begun.id });
        return begun;
      });
      if (post.intent === 'now') await runHere(made.id, made.token, progress);
      return answerPublished(authority, made.id);
    },

    async update(authority: Authority, workspace: Workspace, id: string, changes: Changes): Promise<WirePost> {
      await finding.contested(id, async () => {
        const owned = await finding.owned(authority, id);
        if (isEdit(changes)) return edit(authority, workspace, owned, changes);
        if (changes.hidden !== undefined) return hide(owned.post, changes.hidden);
        const message = 'Name at least one field to change.';
        return fail('validation.field_required', { message, meta: { field: 'text' } });
      });
      return finding.answer(authority, id);
    },

    async publish(
      authority: Authority,
      workspace: Workspace,
      id: string,
      progress: Progress = silent,
    ): Promise<WirePost> {
      const token = await finding.contested(id, async () => {
        const { post, targets } = await finding.owned(authority, id);
        if (!MOVES.publish.includes(post.status)) {
          const failed = post.status === 'failed' || post.status === 'partial';
          const next = failed ? 'Publish its failed targets with retry_post.' : undefined;
          stateInvalid(post, `A ${post.status} post cannot be published.`, next);
        }
        const addressed = await addressedOf(store.db, workspace.id, targets);
        if (isStranded(addressed, targets)) refuseStranded(targets);
        // What was scheduled was checked, or not, when it was accepted.
        const accepted = post.status === 'scheduled';
        if (!accepted) await refuseOutgrown(composing, workspace.id, addressed);
        const stored = { content: contentOf(post), targets: addressed };
        await refuseUnfit(composing, workspace, stored, { live: true, skipValidation: accepted });
        refuseDead(addressed);
        return store.write(async (tx) => {
          const begun = await beginPublish(tx, post, workspace, clock.now());
          if (begun !== undefined) await tx.key?.record({ id });
          return begun;
        });
      });
      await runHere(id, token, progress);
      return answerPublished(authority, id);
    },

    async retry(authority: Authority, workspace: Workspace, id: string, confirmed: boolean) {
      return finding.contested(id, async () => {
        const { post } = await finding.owned(authority, id);
        const retried = await deps.retryable(post);
        const doubtful = retried.find(({ found }) => found === 'unknown');
        if (doubtful && !confirmed) {
          const { platform } = doubtful.target;
          const next = 'Look there; if it is not there, call retry_post with confirm_not_published.';
          stateInvalid(post, `${platform} does not say whether it published.`, next);
        }
        return store.write(async (tx) => {
          if (!(await retryPost(tx, post, { workspace, retried }, clock.now()))) return undefined;
          const answer = await finding.answer(authority, id, tx.db);
          const begun = { success: true, ok: true, retried_count: retried.length, ...answer };
          await tx.key?.record(begun);
          return begun;
        });
      });
    },

    /** What becomes of a post that another request made or published, waited for as long as that would have. */
    async outcome(authority: Authority, id: string): Promise<WirePost> {
      for (const until = clock.now() + deps.waitMs; clock.now() < until;) {
        if ((await finding.answer(authority, id)).status !== 'publishing') break;
        await sleep(clock, LOOK_MS);
      }
      return answerPublished(authority, id);
    },
  });
}
