import type { Input, Post, Target } from '../lib/operations.ts';

/** A file of a post, uploaded or already part of it. */
export type Media = Readonly<{
  source: string;
  source_type: 'media_id' | 'url' | 'platform_attachment_id';
  type: 'image' | 'video' | 'audio' | 'file';
  alt: string;
}>;

type Part = Readonly<{ text: string; media: readonly Ref[] }>;
export type Ref = Pick<Media, 'source' | 'source_type' | 'type'>;
type Overrides = NonNullable<NonNullable<Input<'create_post'>['targets']>[number]>;
/** Other overrides of one destination; an empty first comment is none. */
export type Own = Readonly<Partial<Omit<Overrides, 'account_id' | 'page_id' | 'text'>>>;

/** A post being written; records are keyed by destination id or platform name. */
export type Draft = Readonly<{
  chosen: readonly string[];
  text: string;
  /** Texts that replace the common one, by destination. */
  instead: Readonly<Record<string, string>>;
  own: Readonly<Record<string, Own>>;
  parts: readonly Part[];
  title: string;
  comment: string | undefined;
  options: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  media: readonly Media[];
  /** The local time, `YYYY-MM-DDTHH:MM`; empty if not chosen. */
  when: string;
}>;

export const EMPTY: Draft = {
  chosen: [],
  text: '',
  instead: {},
  own: {},
  parts: [],
  title: '',
  comment: undefined,
  options: {},
  media: [],
  when: '',
};

export const isBlank = ({ text, instead, parts, media }: Draft): boolean =>
  [text, ...Object.values(instead), ...parts.map((part) => part.text)].every((one) => one.trim() === '') &&
  media.length === 0;

/** The destination of an account, or of one of its pages; it is part of ids on the page, so without spaces. */
export const destinationId = (account_id: string, page_id: string | null | undefined): string =>
  page_id ? `${account_id}-${page_id}` : account_id;

const refOf = ({ source, source_type, type }: Ref): Ref => ({ source, source_type, type });
/** Whether two drafts, or parts of them, say the same. */
export const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** An existing post as a draft; `when` is its local time. */
export function draftOf(post: Post, when: string): Draft {
  const alts = altsIn(post.platform_data as Draft['options']);
  const at = (target: Target) => destinationId(target.account_id, target.page_id);
  const comment =
    post.targets.map((target) => commentOf(target, post)).find(Boolean) ?? post.first_comment ?? undefined;
  return {
    chosen: [...new Set(post.targets.map(at))],
    text: post.text ?? '',
    instead: Object.fromEntries(
      post.targets.flatMap((target) => (target['text'] === null ? [] : [[at(target), target['text'] as string]])),
    ),
    own: Object.fromEntries(post.targets.map((target) => [at(target), ownOf(target, post, comment)])),
    parts: post.segments.map(({ text, media }) => ({ text: (text as string | null) ?? '', media: media as Ref[] })),
    title: post.title ?? '',
    comment,
    options: Object.fromEntries(
      Object.entries(post.platform_data).map(([platform, options]) => {
        const { alts: _, alt_text: __, ...others } = options as Record<string, unknown>;
        return [platform, others];
      }),
    ),
    media: post.media.map((ref, index) => ({ ...refOf(ref as Ref), alt: alts[index] ?? '' })),
    when,
  };
}

/** A draft like another: to be sent at a time of its own, which no account has passed. */
export const copyOf = (draft: Draft): Draft => ({
  ...draft,
  own: Object.fromEntries(Object.entries(draft.own).map(([id, own]) => [id, { ...own, scheduled_at: undefined }])),
});

/** The descriptions of files; one for all describes the first. */
function altsIn(options: Draft['options']): readonly (string | null)[] {
  const all = Object.values(options);
  const lists = all.map(({ alts }) => alts).filter((alts) => Array.isArray(alts)) as (readonly (string | null)[])[];
  const one = all.map(({ alt_text }) => alt_text).find((text) => typeof text === 'string');
  return lists[0] ?? (one === undefined ? [] : [one]);
}

const commentOf = (target: Target, post: Post) =>
  (target['first_comment'] as string | null | undefined) ?? post.first_comment ?? undefined;

function ownOf(target: Target, post: Post, common: string | undefined): Own {
  const { board_id, title, visibility, platform_data, scheduled_at } = target as unknown as Own;
  const media = isSame(target.media, post.media) ? null : target.media.map((ref) => refOf(ref as Ref));
  const comment = commentOf(target, post) ?? '';
  const first_comment = comment === (common ?? '') ? null : comment;
  const named = { board_id, title, visibility, platform_data, scheduled_at, media, first_comment };
  return Object.fromEntries(Object.entries(named).filter(([, value]) => value !== null && value !== undefined));
}

/** What the rules say about where a draft goes. */
export type Destinations = ReadonlyMap<
  string,
  Readonly<{ accountId: string; pageId?: string | undefined; platform: string; takesComment: boolean }>
>;
/** How each platform takes descriptions of pictures: one for each, one for all, or none. */
export type AltNames = ReadonlyMap<string, 'alts' | 'alt_text'>;

export type Content = Pick<
  Input<'create_post'>,
  'text' | 'title' | 'media' | 'segments' | 'first_comment' | 'platform_data' | 'targets'
>;

/** A draft as operations take it. */
export function contentOf(draft: Draft, destinations: Destinations, altNames: AltNames): Content {
  const chosen = draft.chosen.flatMap((id) => {
    const destination = destinations.get(id);
    return destination === undefined ? [] : [{ id, ...destination }];
  });
  const platforms = new Set(chosen.map(({ platform }) => platform));
  const comment = draft.comment?.trim() ? draft.comment : undefined;
  return {
    text: draft.text === '' ? null : draft.text,
    title: draft.title === '' ? null : draft.title,
    media: draft.media.map(refOf),
    segments: draft.parts.map(({ text, media }) => ({ text, media: media.map(refOf) })),
    // Each destination is told, since some take none.
    first_comment: null,
    platform_data: Object.fromEntries(
      [...new Set([...platforms, ...Object.keys(draft.options)])].flatMap((platform) => {
        const options = { ...draft.options[platform], ...altsOf(draft.media, altNames.get(platform)) };
        return Object.keys(options).length === 0 ? [] : [[platform, options]];
      }),
    ),
    targets: chosen.map(({ id, accountId, pageId, takesComment }) => ({
      account_id: accountId,
      page_id: pageId,
      ...draft.own[id],
      text: draft.instead[id],
      first_comment: takesComment ? (draft.own[id]?.first_comment ?? comment) || undefined : undefined,
    })),
  };
}

function altsOf(media: readonly Media[], name: 'alts' | 'alt_text' | undefined): Readonly<Record<string, unknown>> {
  const alts = media.map(({ alt }) => alt.trim() || null);
  if (name === undefined || alts.every((alt) => alt === null)) return {};
  return name === 'alts' ? { alts } : { alt_text: alts.filter(Boolean).join(' ') };
}
