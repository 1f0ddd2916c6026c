import * as z from 'zod';
import { lengthOf } from '#kernel/text/length.ts';
import type { AccountCall, StreamedBody } from '../../call.ts';
import type { PublishCall } from '../../posts.ts';
import { PlatformError } from '../../errors.ts';
import { authed, pdsOf } from '../api.ts';
import { type Card, readCard } from '../../shared/web/link-card.ts';
import { resolveHandle } from '../accounts/identity.ts';
import { type Options, optionsOf, rules } from './rules.ts';
import { sessionOf } from '../accounts/session.ts';
import { type Span, facetsOf, findSpans } from './text.ts';
import { nextTid } from './tid.ts';
import { unfit, unlessRefused } from '../../shared/errors.ts';
import { assertTaken } from '../../shared/upload.ts';

const MOST_MENTIONS = 50;

const Blob = z.object({
  $type: z.literal('blob'),
  ref: z.object({ $link: z.string().max(200) }),
  mimeType: z.string().max(200),
  size: z.number().int().nonnegative(),
});
const Uploaded = z.object({ blob: Blob });

type BlobRef = z.output<typeof Blob>;
export const Attached = z.object({
  kind: z.enum(['image', 'video']),
  blob: Blob,
  aspectRatio: z.object({ width: z.number(), height: z.number() }).optional(),
});
export type Attached = Readonly<z.output<typeof Attached>>;

const Written = z.object({ rkey: z.string(), record: z.record(z.string(), z.unknown()) });
export type Written = Readonly<{ rkey: string; record: Readonly<Record<string, unknown>> }>;

/** All content of a post that is decided before its first write. */
export const Composed = z.object({
  did: z.string(),
  handle: z.string(),
  posts: z.array(Written),
  comment: Written.optional(),
});
export type Composed = z.output<typeof Composed>;

type Draft = Readonly<{ text: string; media: readonly Attached[]; alts: readonly string[] }>;

/** Uploads the media of one post of a thread; idempotent, because the server addresses blobs by content. */
export async function attach(call: PublishCall, index: number): Promise<Attached[]> {
  const attached: Attached[] = [];
  for (const { ref, kind } of [call.post, ...call.post.segments][index]!.media) {
    const opened = await call.open(ref);
    const image = kind === 'image';
    const body = image ? await opened.bytes() : { length: opened.size, open: () => opened.stream() };
    assertTaken('Bluesky', image ? 'image' : 'video', opened, rules.media);
    const { width, height } = opened;
    attached.push({
      kind: image ? 'image' : 'video',
      blob: await upload(call, body, opened.content_type),
      ...(width && height && { aspectRatio: { width, height } }),
    });
  }
  return attached;
}

/** Decides keys, times, mentions, cards and labels of the whole thread. */
export async function compose(call: PublishCall, media: readonly (readonly Attached[])[]): Promise<Composed> {
  const { post } = call;
  const options = optionsOf(post);
  const alts = (options.alts ?? []).map((alt) => alt ?? '');
  let used = 0;
  const drafts = [post, ...post.segments].map(({ text }, index): Draft => {
    const own = media[index] ?? [];
    const draft = { text: text.toWellFormed(), media: own, alts: alts.slice(used, used + own.length) };
    used += own.length;
    return draft;
  });
  if (post.first_comment !== undefined) drafts.push({ text: post.first_comment.toWellFormed(), media: [], alts: [] });
  drafts.forEach(assertFits);

  const spans = drafts.map(({ text }) => findSpans(text));
  const dids = await findMentioned(call, spans.flat());
  const now = call.now();
  const written: Written[] = [];
  for (const [index, draft] of drafts.entries()) {
    const link = spans[index]!.find(({ kind }) => kind === 'link');
    const embed = mediaEmbed(draft) ?? (options.link_card === false ? undefined : await cardEmbed(call, link));
    const record = recordOf(draft, dids, options, embed, now + index);
    written.push({ rkey: nextTid(now), record });
  }
  const { did, handle } = sessionOf(call.session);
  const comment = post.first_comment === undefined ? undefined : written.pop();
  return { did, handle, posts: written, comment };
}

/** Decides key, time and mentions of a single text, such as a reply. */
export async function composeText(call: AccountCall, text: string): Promise<Written> {
  const draft: Draft = { text: text.toWellFormed(), media: [], alts: [] };
  assertFits(draft);
  const dids = await findMentioned(call, findSpans(draft.text));
  const now = call.now();
  return { rkey: nextTid(now), record: recordOf(draft, dids, {}, undefined, now) };
}

/** Checks lengths again, because callers may skip validation. */
function assertFits({ text, media }: Draft): void {
  const { max_length, max_bytes } = rules.text;
  if (Buffer.byteLength(text) > max_bytes! || lengthOf(text, 'graphemes') > max_length) {
    throw unfit(`Bluesky accepts at most ${max_length} characters and ${max_bytes} bytes in a post.`);
  }
  if (text.trim() === '' && media.length === 0) throw unfit('A post on Bluesky needs text or media.');
  const videos = media.filter(({ kind }) => kind === 'video').length;
  if (media.length > rules.carousel.max_items || (videos > 0 && media.length > 1)) {
    throw unfit('Bluesky accepts up to four images or one video in a post.');
  }
}

export async function findMentioned(call: AccountCall, spans: readonly Span[]): Promise<ReadonlyMap<string, string>> {
  const handles = new Set(spans.flatMap((span) => (span.kind === 'mention' ? [span.handle] : [])));
  const dids = new Map<string, string>();
  for (const handle of [...handles].slice(0, MOST_MENTIONS)) {
    const did = await findDid(call, handle);
    if (did !== undefined) dids.set(handle, did);
  }
  return dids;
}

/** Resolves a mention; if the lookup fails, the mention stays plain text and the post is still sent. */
async function findDid(call: AccountCall, handle: string): Promise<string | undefined> {
  try {
    return await resolveHandle(call, pdsOf(call), handle);
  } catch (error) {
    if (error instanceof PlatformError && error.kind === 'unknown' && error.status !== undefined) return undefined;
    throw error;
  }
}

function mediaEmbed({ media, alts }: Draft): Readonly<Record<string, unknown>> | undefined {
  const [first] = media;
  if (!first) return undefined;
  if (first.kind === 'video') {
    const { blob: video, aspectRatio } = first;
    return {
      $type: 'app.bsky.embed.video',
      video,
      ...(alts[0] && { alt: alts[0] }),
      ...(aspectRatio && { aspectRatio }),
    };
  }
  const images = media.map(({ blob: image, aspectRatio }, index) => ({
    image,
    alt: alts[index] ?? '',
    ...(aspectRatio && { aspectRatio }),
  }));
  return { $type: 'app.bsky.embed.images', images };
}

async function cardEmbed(call: PublishCall, link: Span | undefined) {
  if (link?.kind !== 'link') return undefined;
  const card = await readCard(call, link.uri);
  if (!card) return undefined;
  const { uri, title, description } = card;
  const thumb = await uploadPicture(call, card.picture);
  return { $type: 'app.bsky.embed.external', external: { uri, title, description, ...(thumb && { thumb }) } };
}

/** Uploads a card's picture; if the server rejects it, the card has no picture. */
async function uploadPicture(call: PublishCall, picture: Card['picture']): Promise<BlobRef | undefined> {
  return picture && unlessRefused(upload(call, picture.body, picture.type), 'invalid_request');
}

async function upload(call: PublishCall, body: Uint8Array | StreamedBody, type: string): Promise<BlobRef> {
  const request = { method: 'com.atproto.repo.uploadBlob', bytes: { body, type } };
  return (await authed(call, request, Uploaded)).blob;
}

function recordOf(
  { text }: Draft,
  dids: ReadonlyMap<string, string>,
  { langs, labels }: Options,
  embed: Readonly<Record<string, unknown>> | undefined,
  at: number,
): Written['record'] {
  const facets = facetsOf(text, dids);
  return {
    $type: 'app.bsky.feed.post',
    text,
    createdAt: new Date(at).toISOString(),
    ...(facets.length > 0 && { facets }),
    ...(embed && { embed }),
    ...(langs?.length && { langs }),
    ...(labels?.length && {
      labels: { $type: 'com.atproto.label.defs#selfLabels', values: [...new Set(labels)].map((val) => ({ val })) },
    }),
  };
}
