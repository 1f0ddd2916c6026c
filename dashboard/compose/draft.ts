import type { Input, Post, Target } from '../lib/operations.ts';

/** A file of a post, uploaded or already part of it. */
export type Media = Readonly<{
  source: string;
  source_type: 'media_id' | 'url' | 'platform_attachment_id';
  type: 'image' | 'video' | 'audio' | 'file';
  /** How a picture gets a shape that a platform takes, if its own is refused. */
  fit?: Fit;
  background?: string;
  focus?: Readonly<{ x: number; y: number }>;
  alt: string;
}>;
export type Fit = 'none' | 'pad' | 'crop';

type Options = Readonly<Record<string, unknown>>;
type Part = Readonly<{ text: string; media: readonly Ref[] }>;
type Ref = Omit<Media, 'alt'>;
type Overrides = NonNullable<NonNullable<Input<'create_post'>['targets']>[number]>;
/** Other overrides for one destination. An empty first comment means that it gets none. */
export type Own = Readonly<
  Partial<Omit<Overrides, 'account_id' | 'page_id' | 'text' | 'media'>> & { media?: readonly Media[] | null }
>;

/** A post that is being written. Records are keyed by destination id or platform name. */
export type Draft = Readonly<{
  chosen: readonly string[];
  text: string;
  /** Texts that replace the common one, by destination id. */
  instead: Readonly<Record<string, string>>;
  own: Readonly<Record<string, Own>>;
  parts: readonly Part[];
  title: string;
  comment: string | undefined;
  options: Readonly<Record<string, Options>>;
  media: readonly Media[];
  /** The local time, `YYYY-MM-DDTHH:MM`; empty if none is chosen. */
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

export const isBlank = ({ text, instead, parts, media, own }: Draft): boolean =>
  [text, ...Object.values(instead), ...parts.map((part) => part.text)].every((one) => one.trim() === '') &&
  [media, ...Object.values(own).map((one) => one.media ?? [])].every(({ length }) => length === 0);

/** The id of an account or one of its pages as a destination. It has no spaces, as element ids contain it. */
export const destinationId = (account_id: string, page_id: string | null | undefined): string =>
  page_id ? `${account_id}-${page_id}` : account_id;

function refOf(media: Media): Ref {
  const { alt: _, ...ref } = media;
  return ref;
}

/** The files of a destination: its own if it has any, otherwise the common ones. Without an id, the common ones. */
export const mediaAt = ({ own, media }: Draft, id: string | undefined): readonly Media[] =>
  (id === undefined ? undefined : own[id]?.media) ?? media;

/** Whether two drafts, or parts of them, have the same content. */
export const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** Turns a post into a draft. `when` is its local time; `takesComment` tells who takes a first comment. */
export function draftOf(post: Post, when: string, takesComment: (id: string) => boolean): Draft {
  const alts = altsIn(post.platform_data as Draft['options']);
  const at = (target: Target) => destinationId(target.account_id, target.page_id);
  const comments = post.targets.flatMap((target) => (takesComment(at(target)) ? [commentOf(target, post)] : []));
  const common = comments.length === 0 ? (post.first_comment ?? '') : mostOf(comments);
  return {
    chosen: [...new Set(post.targets.map(at))],
    text: post.text ?? '',
    instead: Object.fromEntries(
      post.targets.flatMap((target) => (target.text === null ? [] : [[at(target), target.text]])),
    ),
    own: Object.fromEntries(
      post.targets.map((target) => [at(target), ownOf(target, post, takesComment(at(target)) ? common : undefined)]),
    ),
    parts: post.segments.map(({ text, media }) => ({ text: (text as string | null) ?? '', media: media as Ref[] })),
    title: post.title ?? '',
    comment: common === '' ? undefined : common,
    options: Object.fromEntries(
      Object.entries(post.platform_data).map(([platform, options]) => [platform, withoutAlts(options as Options)]),
    ),
    media: described(post.media as Ref[], alts),
    when,
  };
}

/** A copy of a draft, without the times of single accounts, as these may be past. */
export const copyOf = (draft: Draft): Draft => ({
  ...draft,
  own: Object.fromEntries(Object.entries(draft.own).map(([id, own]) => [id, { ...own, scheduled_at: undefined }])),
});

/** The descriptions of files. A platform's single description belongs to the first file. */
function altsIn(options: Draft['options']): readonly (string | null)[] {
  const all = Object.values(options);
  const lists = all.map(({ alts }) => alts).filter((alts) => Array.isArray(alts)) as (readonly (string | null)[])[];
  const one = all.map(({ alt_text }) => alt_text).find((text) => typeof text === 'string');
  return lists[0] ?? (one === undefined ? [] : [one]);
}

function withoutAlts(options: Options): Options {
  const { alts: _, alt_text: __, ...others } = options;
  return others;
}

const described = (media: readonly Ref[], alts: readonly (string | null)[]): readonly Media[] =>
  media.map((ref, index) => ({ ...ref, alt: alts[index] ?? '' }));

const commentOf = (target: Target, post: Post): string => target.first_comment ?? post.first_comment ?? '';

/** The most frequent text; empty if several are equally frequent. */
function mostOf(texts: readonly string[]): string {
  const alike = [...Map.groupBy(texts, (text) => text).values()];
  const most = Math.max(...alike.map(({ length }) => length));
  const found = alike.filter(({ length }) => length === most);
  return found.length === 1 ? found[0]![0]! : '';
}

/** `common` is the first comment for all, or undefined if the target takes none. */
function ownOf(target: Target, post: Post, common: string | undefined): Own {
  const { board_id, title, visibility, scheduled_at, platform_data: all } = target as unknown as Own;
  const isShared = isSame(target.media, post.media);
  const media = isShared ? null : described(target.media as Ref[], altsIn({ own: all ?? {} }));
  // The descriptions are stored with the files themselves.
  const platform_data = isShared || !all ? all : withoutAlts(all);
  const comment = commentOf(target, post);
  const first_comment = common === undefined || comment === common ? null : comment;
  const named = { board_id, title, visibility, platform_data, scheduled_at, media, first_comment };
  return Object.fromEntries(Object.entries(named).filter(([, value]) => value !== null && value !== undefined));
}

/** What the rules say about each destination of a draft. */
export type Destinations = ReadonlyMap<
  string,
  Readonly<{ accountId: string; pageId?: string | undefined; platform: string; takesComment: boolean }>
>;
/** How each platform takes descriptions of pictures: one per picture, one for all, or none. */
export type AltNames = ReadonlyMap<string, AltName>;
type AltName = 'alts' | 'alt_text';

export type Content = Pick<
  Input<'create_post'>,
  'text' | 'title' | 'media' | 'segments' | 'first_comment' | 'platform_data' | 'targets'
>;

/** A draft as input for operations. */
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
    segments: draft.parts.map(({ text, media }) => ({ text, media: [...media] })),
    // Set for each destination below, because some take no first comment.
    first_comment: null,
    platform_data: Object.fromEntries(
      [...new Set([...platforms, ...Object.keys(draft.options)])].flatMap((platform) => {
        const options = { ...draft.options[platform], ...altsOf(draft.media, altNames.get(platform)) };
        return Object.keys(options).length === 0 ? [] : [[platform, options]];
      }),
    ),
    targets: chosen.map(({ id, accountId, pageId, platform, takesComment }) => {
      const { media, ...own } = draft.own[id] ?? {};
      return {
        account_id: accountId,
        page_id: pageId,
        ...own,
        ...(media && { media: media.map(refOf), ...ownAltsOf(media, draft.media, own, altNames.get(platform)) }),
        text: draft.instead[id],
        first_comment: takesComment ? (own.first_comment ?? comment) || undefined : undefined,
      };
    }),
  };
}

/** Removes the times of single accounts, because they would schedule a new post. */
export const untimed = (content: Content): Content => ({
  ...content,
  targets: (content.targets ?? []).map((target) => ({ ...target, scheduled_at: undefined })),
});

/** Whether an account has a time of its own. */
export const isTimed = ({ targets }: Content): boolean =>
  (targets ?? []).some(({ scheduled_at }) => scheduled_at !== undefined);

function altsOf(media: readonly Media[], name: AltName | undefined): Options {
  const alts = media.map(({ alt }) => alt.trim() || null);
  if (name === undefined || alts.every((alt) => alt === null)) return {};
  return name === 'alts' ? { alts } : { alt_text: alts.filter(Boolean).join(' ') };
}

/** The descriptions of a destination's own files. The common descriptions must not apply to them. */
function ownAltsOf(
  media: readonly Media[],
  common: readonly Media[],
  { platform_data }: Own,
  name: AltName | undefined,
): Pick<Own, 'platform_data'> {
  const none = name === 'alts' ? { alts: [] } : { alt_text: '' };
  const isDescribed = Object.keys(altsOf(common, name)).length > 0;
  const alts = { ...(isDescribed && none), ...altsOf(media, name) };
  return Object.keys(alts).length === 0 ? {} : { platform_data: { ...platform_data, ...alts } };
}
