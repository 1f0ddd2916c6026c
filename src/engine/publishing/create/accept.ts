import type { Authority, Workspace } from '../../../kernel/authority.ts';
import { fail } from '../../../kernel/errors.ts';
import {
  addressedWithKinds,
  addressTargets,
  describeMedia,
  refuseIssues,
  refuseMixes,
  refusePageless,
  refuseSources,
  targetIssues,
  type AddressedTarget,
  type ComposeDeps,
  type AddressBook,
  type TargetInput,
} from '../content/addressing.ts';
import { withKinds, type Content, type Described } from '../content/content.ts';
import { intentOf, NAME_TARGETS, refuseDead, refuseUnpublishable, type NewPost } from './create.ts';

export type Draft = Readonly<{
  content: Content;
  targets: readonly TargetInput[];
  scheduledAt: number | undefined;
  publishNow: boolean;
  skipDuplicateCheck: boolean;
  skipValidation: boolean;
}>;

/** Refuses media that is not there and, for a post that will go out, what its platforms would refuse; answers what the media is. */
export async function refuseUnfit(
  composing: ComposeDeps,
  workspace: Workspace,
  { content, targets }: Readonly<{ content: Content; targets: readonly AddressedTarget[] }>,
  { live, skipValidation }: Readonly<{ live: boolean; skipValidation: boolean }>,
  known?: AddressBook,
): Promise<Described> {
  const overrides = targets.map((target) => target.overrides);
  const described = await describeMedia(composing, workspace.id, content, overrides);
  if (!live) return described;
  refuseUnpublishable(content, targets);
  await refusePageless(composing, targets, known);
  refuseSources(composing, content, targets);
  if (skipValidation) return described;
  refuseMixes(composing, content, targets, described);
  refuseIssues(targetIssues(composing, content, targets, described));
  return described;
}

/** A restricted key makes no post without targets: it could not see it. */
export function refuseTargetless(authority: Authority, targets: readonly unknown[]): void {
  if (!authority.brands || targets.length > 0) return;
  fail('validation.field_required', {
    message: 'targets is required for a key that is limited to brands.',
    next: NAME_TARGETS,
    meta: { field: 'targets' },
  });
}

/** Turns what a caller wants to be made into what may be written, or refuses it. */
export async function acceptDraft(
  composing: ComposeDeps,
  { authority, workspace }: Readonly<{ authority: Authority; workspace: Workspace }>,
  draft: Draft,
  known: AddressBook,
  now: number,
): Promise<NewPost> {
  const targets = addressTargets(composing, draft.targets, known);
  refuseTargetless(authority, targets);
  const { publishNow, scheduledAt, skipDuplicateCheck, skipValidation } = draft;
  const intent = intentOf({ publishNow, scheduledAt, targets }, now);
  const asked = { content: draft.content, targets };
  const described = await refuseUnfit(composing, workspace, asked, { live: intent !== 'draft', skipValidation }, known);
  if (intent !== 'draft') refuseDead(targets);
  return {
    workspace,
    content: withKinds(draft.content, described),
    scheduledAt,
    targets: addressedWithKinds(targets, described),
    intent,
    skipDuplicateCheck,
  };
}
