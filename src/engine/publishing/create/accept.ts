import type { Authority, Workspace } from '#kernel/authority.ts';
import { fail } from '#kernel/errors.ts';
import { addressTargets, type AddressBook, type ComposeDeps, type TargetInput } from '../content/addressing.ts';
import { composePost } from '../content/compose.ts';
import type { Content } from '../content/content.ts';
import { NAME_TARGETS, refuseDead, refuseUnfit, refuseUnpublishable } from '../content/refusals.ts';
import { intentOf } from '../content/timing.ts';
import type { NewPost } from './rows.ts';

export type Draft = Readonly<{
  content: Content;
  targets: readonly TargetInput[];
  scheduledAt: number | undefined;
  publishNow: boolean;
  skipDuplicateCheck: boolean;
  skipValidation: boolean;
}>;

/** A restricted key may not create a post without targets, because it could not see that post. */
export function refuseTargetless(authority: Authority, targets: readonly unknown[]): void {
  if (!authority.brands || targets.length > 0) return;
  fail('validation.field_required', {
    message: 'targets is required for a key that is limited to brands.',
    next: NAME_TARGETS,
    meta: { field: 'targets' },
  });
}

/** Checks a draft and returns the post to store, or refuses it. */
export async function acceptDraft(
  deps: ComposeDeps,
  { authority, workspace }: Readonly<{ authority: Authority; workspace: Workspace }>,
  draft: Draft,
  known: AddressBook,
  now: number,
): Promise<NewPost> {
  const { publishNow, scheduledAt, skipDuplicateCheck, skipValidation } = draft;
  // The input before what it names: docs/contract/errors.md#order-of-checks.
  refuseTargetless(authority, draft.targets);
  const intent = intentOf({ publishNow, scheduledAt, targets: draft.targets }, now);
  if (intent !== 'draft') refuseUnpublishable(draft.content, draft.targets);
  const addressed = addressTargets(deps, workspace, draft.targets, known);
  const composed = await composePost(deps, workspace.id, draft.content, addressed);
  if (intent !== 'draft') {
    await refuseUnfit(deps, composed, { skipValidation, known });
    refuseDead(addressed);
  }
  const targets = composed.targets.map(({ target }) => target);
  const { content, attached } = composed;
  return { workspace, content, attached, scheduledAt, targets, intent, skipDuplicateCheck };
}
