import * as z from 'zod';
import type { PublishCall } from '../../posts.ts';
import { PlatformError } from '../../errors.ts';
import { Changed, Id, Made, listOf } from '../../graph/api.ts';
import { type Fields } from '../../shared/rest.ts';
import { asPage } from '../api.ts';
import { defineStep } from '../../shared/steps.ts';
import { isMissing, unclear, unlessRefused } from '../../shared/errors.ts';
import { Photo, freshPhotos, uploadPhotos } from './photos.ts';
import { optionsOf } from './rules.ts';
import { sessionOf } from '../accounts/session.ts';
import { isSameText, onlyMatch, SKEW_MS } from '../../shared/settle.ts';
import { text } from '../../shared/fields.ts';

const Draft = z.object({
  id: z.string(),
  page: z.string(),
  /** The draft's text ends with a zero-width space, which Facebook removes on publishing. */
  marked: z.literal(true).optional(),
});
type Draft = Readonly<z.output<typeof Draft>>;

/** The draft cannot be published by its id, so the post must be published directly. */
export const Rejected = z.object({ direct: z.literal(true), refused: z.string(), at: z.number() });
export type Rejected = Readonly<z.output<typeof Rejected>>;

/** The result of publishing the draft: it is public or rejected. */
const Switched = z.union([Rejected, z.object({ permalink: text })]);
type Switched = Readonly<z.output<typeof Switched>>;

const Prepared = z.object({ photos: z.array(Photo) }).nullable();
const Direct = z.object({ id: z.string(), permalink: text });
type Direct = z.output<typeof Direct>;

export const DRAFT = defineStep({ name: 'draft', kind: 'invisible', result: Draft, run: makeDraft });
export const PUBLISH = defineStep({ name: 'publish', kind: 'idempotent', result: Switched, run: publishDraft });
/** Prepares what direct publishing needs; the result is null if the draft is public. */
export const AGAIN = defineStep({ name: 'again', kind: 'invisible', result: Prepared, run: prepareDirect });
export const DIRECT = defineStep({
  name: 'direct',
  kind: 'visible',
  result: Direct.nullable(),
  run: publishDirectly,
  settle: settleDirect,
});

export const steps = Object.freeze({ always: [DRAFT, PUBLISH], detour: [AGAIN, DIRECT], last: [] });

const ZERO_WIDTH_SPACE = '\u200B';
const GONE = 'Facebook no longer shows the draft of this post: somebody may have removed it.';

const Looked = z.object({ is_published: z.boolean(), permalink_url: text });
const Target = z.object({ id: Id.optional() }).optional().catch(undefined);
const Attachments = z
  .object({ data: z.array(z.object({ target: Target, subattachments: z.unknown().optional() })) })
  .optional()
  .catch(undefined);
const Listed = listOf(
  z.object({
    id: Id,
    message: text,
    created_time: z.string(),
    permalink_url: text,
    application: z.object({ id: Id }).optional().catch(undefined),
    attachments: Attachments,
  }),
);

/** A draft whose response was lost is never listed but blocks the same text, so the retry changes the text. */
async function makeDraft(call: PublishCall): Promise<Draft> {
  const { page_id: page, text } = call.post;
  try {
    return await writeDraft(call, await freshPhotos(call), text);
  } catch (error) {
    if (!(error instanceof PlatformError) || error.reason !== 'duplicate') throw error;
    if (call.post.media.length > 0) return writeDraft(call, await uploadPhotos(call), text);
    const query = { fields: 'id,message,created_time', limit: 1 };
    const { data } = await asPage(call, page, publishedPosts(call, query), Listed);
    if (isSameText(data[0]?.message, text)) throw error;
    return { ...(await writeDraft(call, [], `${text}${ZERO_WIDTH_SPACE}`)), marked: true };
  }
}

async function writeDraft(call: PublishCall, photos: readonly Photo[], message: string): Promise<Draft> {
  const form = { ...formOf(call, photos, message), published: false, unpublished_content_type: 'DRAFT' };
  const { id } = await asPage(call, call.post.page_id, feedOf(call, form), Made);
  return { id, page: call.post.page_id! };
}

async function publishDraft(call: PublishCall): Promise<Switched> {
  const { id, marked } = DRAFT.resultIn(call.done);
  const to = { path: '/{post}', ids: { post: id } } as const;
  const form = { is_published: true, ...(marked && { message: call.post.text.toWellFormed() }) };
  const query = { fields: 'is_published,permalink_url' };
  const look = () => asPage(call, call.post.page_id, { method: 'GET', ...to, query }, Looked);
  const rejected = await switchOn(call, { ...to, form }, async () => (await look()).is_published);
  if (rejected) return rejected;
  try {
    return { permalink: (await look()).permalink_url };
  } catch (error) {
    // The post is public already, so later errors must not fail it.
    if (error instanceof PlatformError) return {};
    throw error;
  }
}

/** Publishes an existing object by id; if the response is inconclusive, checks the object's state. */
export async function switchOn(
  call: PublishCall,
  request: Readonly<{ path: string; ids: Readonly<Record<string, string>>; form: Fields }>,
  isPublic: () => Promise<boolean>,
): Promise<Rejected | undefined> {
  try {
    await asPage(call, call.post.page_id, { method: 'POST', ...request }, Changed);
    return undefined;
  } catch (error) {
    if (!(error instanceof PlatformError) || error.reason === 'auth') throw error;
    if (error.kind === 'throttled' || error.kind === 'not_sent') throw error;
    const isThere = await isPublic().catch((other: unknown) => {
      if (isMissing(other)) throw unclear(GONE, error);
      throw error.kind === 'unknown' ? error : other;
    });
    if (isThere) return undefined;
    if (isMissing(error)) throw unclear(GONE, error);
    // Only refusals of the content may succeed by direct publishing; any other would happen there too.
    if (error.kind === 'unknown' || !['invalid_request', 'permission_denied'].includes(error.reason)) throw error;
    return { direct: true, refused: error.upstream ?? error.message, at: call.now() };
  }
}

/** If direct publishing is needed, deletes the draft and uploads the photos again. */
async function prepareDirect(call: PublishCall): Promise<z.output<typeof Prepared>> {
  if (!('direct' in PUBLISH.resultIn(call.done))) return null;
  const { id } = DRAFT.resultIn(call.done);
  await discard(call, id);
  return { photos: await uploadPhotos(call) };
}

/** Deletes an object that could not be published, so that the post cannot appear twice. */
export async function discard(call: PublishCall, id: string): Promise<void> {
  const request = { method: 'DELETE', path: '/{post}', ids: { post: id } } as const;
  await unlessRefused(asPage(call, call.post.page_id, request, Changed), 'not_found');
}

/** Publishes without a draft if that is needed; otherwise returns null. */
async function publishDirectly(call: PublishCall): Promise<Direct | null> {
  const prepared = AGAIN.resultIn(call.done);
  if (!prepared) return null;
  // A draft whose response was lost still blocks the same text, so the zero-width space is kept.
  const { marked } = DRAFT.resultIn(call.done);
  const text = `${call.post.text}${marked ? ZERO_WIDTH_SPACE : ''}`;
  const form = { ...formOf(call, prepared.photos, text), published: true, fields: 'id,permalink_url' };
  const Answer = z.object({ id: Id, permalink_url: z.string().optional().catch(undefined) });
  const { id, permalink_url: permalink } = await asPage(call, call.post.page_id, feedOf(call, form), Answer);
  return { id, permalink };
}

/** Looks for a directly published post after a lost response; if not found, the outcome is unknown. */
async function settleDirect(call: PublishCall): Promise<Readonly<{ made: Direct | null }> | 'unknown'> {
  const rejected = PUBLISH.resultIn(call.done);
  const prepared = AGAIN.resultIn(call.done);
  if (!prepared || !('direct' in rejected)) return { made: null };
  const { app_id: app } = sessionOf(call.session);
  const photos = prepared.photos.map(({ id }) => id);
  const query = {
    fields: 'id,message,created_time,permalink_url,application,attachments{target,subattachments{target}}',
    since: Math.floor((rejected.at - SKEW_MS) / 1000),
    limit: 100,
  };
  const { data } = await asPage(call, call.post.page_id, publishedPosts(call, query), Listed);
  const found = onlyMatch(
    data,
    ({ message, application, attachments }) =>
      app !== undefined &&
      application?.id === app &&
      isSameText(message, call.post.text) &&
      photos.every((photo) => photosIn(attachments).includes(photo)),
  );
  return found === 'unknown' ? found : { made: { id: found.id, permalink: found.permalink_url } };
}

function formOf({ post }: PublishCall, photos: readonly Photo[], message: string) {
  const media = photos.map(({ id }) => ({ media_fbid: id }));
  return {
    message: message.toWellFormed() || undefined,
    link: optionsOf(post).link,
    attached_media: media.length > 0 ? JSON.stringify(media) : undefined,
  };
}

function feedOf({ post }: PublishCall, form: Readonly<Record<string, string | boolean | undefined>>) {
  return { method: 'POST', path: '/{page}/feed', ids: { page: post.page_id! }, form } as const;
}

function publishedPosts({ post }: PublishCall, query: Readonly<Record<string, string | number>>) {
  return { method: 'GET', path: '/{page}/published_posts', ids: { page: post.page_id! }, query } as const;
}

function photosIn(attachments: z.output<typeof Attachments>): readonly string[] {
  const Nested = z.object({ data: z.array(z.object({ target: Target })) });
  return (attachments?.data ?? []).flatMap(({ target, subattachments }) => [
    ...[target?.id ?? []].flat(),
    ...(Nested.safeParse(subattachments).data?.data ?? []).flatMap(({ target: inner }) => inner?.id ?? []),
  ]);
}
