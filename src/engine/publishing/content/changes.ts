import type { PostRow } from '#db/posts/posts.ts';
import type { TargetRow } from '#db/posts/targets.ts';
import type { AddressedTarget, TargetInput } from './addressing.ts';
import type { Content } from './content.ts';

export type Changes = Readonly<{
  /** The fields to change; null clears one. */
  content: Readonly<{ [K in keyof Content]?: Content[K] | null | undefined }>;
  targets: readonly TargetInput[] | undefined;
  scheduledAt: number | null | undefined;
  /** By how many milliseconds to move the remaining targets that have their own time. */
  shift?: number;
  hidden: boolean | undefined;
  skipValidation: boolean;
  /** The last change of the post that the caller knows of. */
  ifUpdatedAt?: number | undefined;
}>;

const CLEARED: Readonly<Partial<Content>> = Object.freeze({
  media: [],
  segments: [],
  platform_data: {},
  visibility: 'public',
});

/** Whether the changes name anything but `hidden`. */
export function isEdit({ content, targets, scheduledAt }: Changes): boolean {
  const named = Object.values(content).some((value) => value !== undefined);
  return named || targets !== undefined || scheduledAt !== undefined;
}

export function merged(before: Content, named: Changes['content']): Content {
  const entries = Object.entries(named).filter(([, value]) => value !== undefined);
  const cleared = CLEARED as Readonly<Record<string, unknown>>;
  return { ...before, ...Object.fromEntries(entries.map(([key, value]) => [key, value ?? cleared[key]])) };
}

/** The fields whose values differ, as post.updated reports them. */
export function changedFields(
  post: PostRow,
  before: Readonly<{ content: Content; targets: readonly TargetRow[] }>,
  after: Readonly<{
    content: Content;
    targets: readonly AddressedTarget[] | undefined;
    scheduledAt: number | null | undefined;
    shift: number;
  }>,
): readonly string[] {
  const same = (a: unknown, b: unknown) => JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
  const keys = Object.keys(after.content) as (keyof Content)[];
  const shapes = before.targets.map((row) => [row.account_id, row.page_id, row.scheduled_at, row.overrides]);
  const wanted = after.targets?.map((target) => [
    target.account.id,
    target.page_id ?? null,
    target.scheduled_at ?? null,
    target.overrides,
  ]);
  const isMoved = after.shift !== 0 && before.targets.some(({ scheduled_at }) => scheduled_at !== null);
  return [
    ...keys.filter((key) => !same(before.content[key], after.content[key])),
    ...(isMoved || (wanted !== undefined && !same(wanted, shapes)) ? ['targets'] : []),
    ...(after.scheduledAt !== undefined && after.scheduledAt !== post.scheduled_at ? ['scheduled_at'] : []),
  ];
}
