import type { Overrides } from '#db/schema/database.ts';
import type { AccountRow } from '#db/access/accounts.ts';
import type { TargetRow } from '#db/posts/targets.ts';
import type { MediaSource } from '#call/ports.ts';
import { addressIn } from '#kernel/effects/file-addresses.ts';
import { isRehearsedForPerson } from '#kernel/effects/rehearsal.ts';
import { fail } from '#kernel/errors.ts';
import { handleOf } from '#kernel/text/handle.ts';
import type { Issue } from '#platforms/posts.ts';
import { hasPages } from '#platforms/lookup.ts';
import { pagesAmong, type AddressBook, type AddressedTarget, type ComposeDeps } from './addressing.ts';
import type { ComposedPost, ComposedTarget } from './compose.ts';
import { hasContent, refsOf, type Content } from './content.ts';
import { issuesOf, makeTextCheck, mixes, unfetchableIssues, refusedSources, type PostIssue } from './rules.ts';

/** The next step to suggest for a post without targets. */
export const NAME_TARGETS = 'Send accounts in targets or account_ids; list_accounts shows them.';

/** Refuses a post that one of its platforms would refuse. */
export async function refuseUnfit(
  deps: ComposeDeps,
  { content, targets }: ComposedPost,
  { skipValidation, known }: Readonly<{ skipValidation: boolean; known: Pick<AddressBook, 'choosePage'> | undefined }>,
): Promise<void> {
  const addressed = targets.map(({ target }) => target);
  refuseUnpublishable(
    content,
    addressed.map(({ overrides }) => overrides),
  );
  await refusePageless(deps, addressed, known);
  refuseSources(content, targets);
  // Checked in any case: whether this server is reachable is not a rule of the platforms.
  if (skipValidation) return refuseIssues(unreachableIssues(targets, deps.media));
  refuseMixes(targets);
  refuseBare(targets);
  refuseIssues(targetIssues(targets, deps.media));
}

/** Refuses to publish what has no targets, or nothing to publish on one of them. */
export function refuseUnpublishable(content: Content, overrides: readonly Overrides[]): void {
  if (overrides.length === 0) {
    const message = 'targets is required to publish or schedule.';
    fail('validation.field_required', { message, next: NAME_TARGETS, meta: { field: 'targets' } });
  }
  refuseEmpty(content, overrides);
}

export function refuseEmpty(content: Content, overrides: readonly Overrides[]): void {
  if (overrides.some((own) => !hasContent(content, own))) {
    fail('validation.field_required', { message: 'text, media or segments is required.', meta: { field: 'text' } });
  }
}

export function refuseDead(targets: readonly AddressedTarget[]): void {
  const dead = targets.filter(({ account }) => account.status !== 'active');
  if (dead.length < targets.length) return;
  const names = dead.map(({ account: { platform, username } }) => `${platform} ${handleOf(username)}`);
  fail('account.reconnection_required', {
    message: `${names.join(', ')} must be connected again.`,
    meta: { id: dead[0]!.account.id },
  });
}

async function refusePageless(
  deps: ComposeDeps,
  targets: readonly AddressedTarget[],
  known: Pick<AddressBook, 'choosePage'> | undefined,
): Promise<void> {
  const accounts = targets.map(({ account }) => account);
  const choosePage = known?.choosePage ?? (await pagesAmong(deps, accounts));
  for (const { account, page_id } of targets) {
    if (hasPages(deps.platforms, account) && account.status === 'active') choosePage(account, page_id);
  }
}

const UPLOAD_FIRST = 'Add it with upload_media, name its media_id with update_post, then ask again.';

/** Before a person is asked to approve: refuses a post that names a file by URL, as the file could change. */
export function refuseFetchedLater(
  { media, segments, platform_data }: Content,
  overrides: readonly Overrides[],
  next = UPLOAD_FIRST,
): void {
  if (!isRehearsedForPerson()) return;
  const field = addressIn({ media, segments, platform_data, targets: overrides });
  if (field === undefined) return;
  fail('validation.field_invalid', {
    message: `${field}: the post names a file by its address, and another could be there once a person agrees.`,
    next,
    meta: { field },
  });
}

function refuseSources(content: Content, targets: readonly ComposedTarget[]): void {
  for (const { target, platform, attached } of targets) {
    const { account, overrides } = target;
    const refused = refusedSources(platform, [...refsOf(content, [overrides]), ...attached.map(({ ref }) => ref)])[0];
    if (refused) {
      const message = `${account.platform} does not take media by ${refused.source_type}.`;
      fail('publishing.media.unsupported_source', { message, meta: { field: 'media', id: account.id } });
    }
  }
}

/** Refuses mixed images and videos if a target's platform takes only one kind (422). */
function refuseMixes(targets: readonly ComposedTarget[]): void {
  for (const { target, platform, outgoing } of targets) {
    if ([outgoing, ...outgoing.segments].some(({ media }) => mixes(platform, media))) {
      const { id, platform: slug } = target.account;
      const message = `${slug} takes images or videos in one post, not both.`;
      fail('publishing.media.mixing_unsupported', { message, meta: { field: 'media', id } });
    }
  }
}

/** Refuses a post without media if a target's platform has a code for that (400). */
function refuseBare(targets: readonly ComposedTarget[]): void {
  const bare = targets.find(
    ({ platform, outgoing }) => platform.posts?.rules.media_required && outgoing.media.length === 0,
  );
  if (!bare) return;
  const { id, platform: slug } = bare.target.account;
  const message = `${bare.platform.title} does not publish posts without media.`;
  fail(`platform.${slug}.media_required`, { message, meta: { field: 'media', id } });
}

function targetIssues(
  targets: readonly ComposedTarget[],
  { maxBytes, unreachable }: Pick<MediaSource, 'maxBytes' | 'unreachable'>,
): readonly PostIssue[] {
  const check = makeTextCheck();
  return targets.flatMap(({ target: { account }, platform, outgoing, attached }) => {
    const access = { attached, unreachable: unreachable(account.network) };
    return issuesOf(platform, outgoing, { check, maxBytes, ...access }).map(blaming(account));
  });
}

function unreachableIssues(
  targets: readonly ComposedTarget[],
  { unreachable }: Pick<MediaSource, 'unreachable'>,
): readonly PostIssue[] {
  return targets.flatMap(({ target: { account }, platform, outgoing, attached }) =>
    unfetchableIssues(platform, outgoing, { attached, unreachable: unreachable(account.network) }).map(
      blaming(account),
    ),
  );
}

const blaming =
  ({ platform, id }: AccountRow) =>
  (issue: Issue): PostIssue => ({ platform, ...issue, target: id });

/** Refuses a post that violates a platform's rules; `meta.issues` lists them all. */
function refuseIssues(issues: readonly PostIssue[]): void {
  const first = issues[0];
  if (!first) return;
  fail('validation.field_invalid', {
    message: `${first.field} ${first.message} (${first.platform}).`,
    meta: { field: first.field, issues },
  });
}

/** Whether a post has targets, but none of their accounts exists any more. */
export function wouldBeOrphaned(addressed: readonly AddressedTarget[], targets: readonly TargetRow[]): boolean {
  return addressed.length === 0 && targets.length > 0;
}

export function refuseOrphaned([first]: readonly TargetRow[]): never {
  const message = `The account ${first!.account_id} of this post was removed.`;
  const next = 'Use other accounts in targets with update_post.';
  fail('account.not_found', { message, next, meta: { resource: 'account', id: first!.account_id } });
}
