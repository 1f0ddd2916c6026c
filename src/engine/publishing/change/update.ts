import { patchPost, type PostRow } from '#db/posts/posts.ts';
import type { TargetRow } from '#db/posts/targets.ts';
import type { Store } from '#db/store/store.ts';
import type { Call } from '#call/context.ts';
import type { Authority, Workspace } from '#kernel/authority.ts';
import type { Clock } from '#kernel/clock.ts';
import { fail } from '#kernel/errors.ts';
import {
  addressedOf,
  addressTargets,
  makeAddressBook,
  refuseOverLimit,
  type ComposeDeps,
} from '../content/addressing.ts';
import { changedFields, isEdit, merged, type Changes } from '../content/changes.ts';
import { composePost } from '../content/compose.ts';
import { contentOf, type Content } from '../content/content.ts';
import {
  wouldBeOrphaned,
  refuseDead,
  refuseEmpty,
  refuseFetchedLater,
  refuseOrphaned,
  refuseUnfit,
} from '../content/refusals.ts';
import { refusePast } from '../content/timing.ts';
import { refuseTargetless } from '../create/accept.ts';
import {
  refuseChanged,
  refuseUnseen,
  stateInvalid,
  type Owned,
  type PostLookup,
  type Requester,
} from '../read/lookup.ts';
import type { WirePost } from '../read/present-post.ts';
import { MOVES } from '../state/machine.ts';
import { editPost, type Edit } from './edit.ts';

type Updating = Requester & Pick<Call, 'permit'>;
type UpdateDeps = Readonly<{ store: Store; clock: Clock; composing: ComposeDeps; lookup: PostLookup }>;

export function makeUpdate({ store, clock, composing, lookup }: UpdateDeps) {
  /** The targets that replace the old ones, if the changes name any. */
  async function readdressed(authority: Authority, workspace: Workspace, changes: Changes) {
    if (!changes.targets) return {};
    const known = await makeAddressBook(composing, authority, changes.targets);
    const targets = addressTargets(composing, workspace, changes.targets, known);
    refuseTargetless(authority, targets);
    return { known, targets };
  }

  function refusePastOnes(times: readonly (number | null | undefined)[]): void {
    for (const at of times) if (typeof at === 'number') refusePast(at, clock.now());
  }

  /** Checks the changes against all rules and returns the edit; undefined if nothing changes. */
  async function accept(
    authority: Authority,
    workspace: Workspace,
    { post, targets: old }: Owned,
    changes: Changes,
  ): Promise<Edit | undefined> {
    refuseImmovable(post, changes);
    // A draft has no publishing time to withdraw.
    const scheduledAt = changes.scheduledAt === null && post.status === 'draft' ? undefined : changes.scheduledAt;
    const { shift = 0 } = changes;
    const before = { content: contentOf(post), targets: old };
    const content = merged(before.content, changes.content);
    const { known, targets } = await readdressed(authority, workspace, changes);
    const effective = targets ?? (await addressedOf(store.db, workspace.id, old, shift));
    const scheduling = typeof scheduledAt === 'number';
    const times = scheduling || targets ? effective.map(({ scheduled_at }) => scheduled_at) : [];
    refusePastOnes([scheduledAt, ...times]);
    const goesOut = scheduling || (scheduledAt === undefined && post.status !== 'draft');
    // Content may be changed after all accounts are removed; platform rules are not checked then.
    const orphaned = targets === undefined && wouldBeOrphaned(effective, old);
    if (orphaned) refuseOrphans(old, content, { scheduling, goesOut });
    const begins = scheduling && post.status === 'draft';
    if (begins) refuseOverLimit(composing, workspace, effective);
    const composed = await composePost(composing, workspace.id, content, effective);
    if (goesOut && !orphaned) {
      await refuseUnfit(composing, composed, { skipValidation: changes.skipValidation, known });
    }
    if (begins) refuseDead(effective);
    const after = {
      content: composed.content,
      targets: targets && composed.targets.map(({ target }) => target),
      scheduledAt,
      shift,
    };
    const changed = changedFields(post, before, after);
    if (changed.length === 0) return undefined;
    const { attached } = composed;
    return { post, workspace, ...after, attached, hidden: changes.hidden, changed };
  }

  /** Returns the edit; refuses changes that are based on an older version of the post. */
  async function judge(requester: Requester, owned: Owned, changes: Changes): Promise<Edit | undefined> {
    const { authority, workspace, seen } = requester;
    refuseChanged(owned.post, changes.ifUpdatedAt);
    if (!isEdit(changes)) return undefined;
    const edit = await accept(authority, workspace, owned, changes);
    // The post is already as requested, perhaps because of an earlier attempt of this request.
    if (edit === undefined) return undefined;
    refuseUnseen(owned.post, seen);
    refuseUnbound(owned, edit);
    return edit;
  }

  /** Returns undefined if the post has changed since it was read. */
  async function edit(requester: Requester, owned: Owned, changes: Changes) {
    const { hidden } = changes;
    const accepted = await judge(requester, owned, changes);
    if (accepted === undefined) return hidden === undefined || (await hide(owned.post, hidden));
    return (await store.write((tx) => editPost(tx, accepted, clock.now()))) || undefined;
  }

  async function hide(post: PostRow, hidden: boolean): Promise<true> {
    await store.write((tx) => patchPost(tx.db, post.id, { hidden: hidden ? 1 : 0, updated_at: clock.now() }));
    return true;
  }

  async function update({ permit, ...requester }: Updating, id: string, changes: Changes): Promise<WirePost> {
    const { authority } = requester;
    refuseNothing(changes);
    await lookup.contested(id, async () => {
      const owned = await lookup.owned(authority, id);
      // Checks the status of the version that is changed: if a draft is scheduled in between, it is read again.
      if (owned.post.status !== 'draft') permit('post');
      return edit(requester, owned, changes);
    });
    return lookup.answer(authority, id);
  }

  return Object.freeze({ accept, edit, update });
}

/** Before a person is asked to approve: refuses to schedule a draft whose file may change at its URL. */
export function refuseUnbound({ post, targets: old }: Owned, { content, targets, scheduledAt }: Edit): void {
  if (post.status !== 'draft' || typeof scheduledAt !== 'number') return;
  const overrides = (targets ?? old).map((target) => target.overrides);
  refuseFetchedLater(content, overrides);
}

function refuseNothing(changes: Changes): void {
  if (isEdit(changes) || changes.hidden !== undefined) return;
  const message = 'Send at least one field to change.';
  fail('validation.field_required', { message, meta: { field: 'text' } });
}

function refuseOrphans(
  old: readonly TargetRow[],
  content: Content,
  { scheduling, goesOut }: Readonly<{ scheduling: boolean; goesOut: boolean }>,
): void {
  if (scheduling) refuseOrphaned(old);
  const overrides = old.map((target) => target.overrides);
  if (goesOut) refuseEmpty(content, overrides);
}

function refuseImmovable(post: PostRow, { scheduledAt }: Changes): void {
  if (!MOVES.edit.includes(post.status)) {
    const next = 'Take it down with unpublish_post, and create it again with create_post.';
    stateInvalid(post, `A ${post.status} post cannot be edited.`, post.status === 'publishing' ? undefined : next);
  }
  if (scheduledAt !== undefined && !MOVES.schedule.includes(post.status)) {
    stateInvalid(post, 'A failed post cannot be scheduled again.', 'Publish it now with retry_post.');
  }
}

export type Update = ReturnType<typeof makeUpdate>;
