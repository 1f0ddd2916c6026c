import * as z from 'zod';
import { mapAtOnce } from '#kernel/limits/at-once.ts';
import type { AccountCall } from '../call.ts';
import type { CommentAt, CommentLocation, Comments, CreatedComment, Paging, ReplyRequest } from '../interactions.ts';
import type { Person, PlatformComment } from '../inbox-types.ts';
import type { SettleState } from '../sending.ts';
import { plainComment } from '../shared/comments.ts';
import { isRefused, refused, unclear, unlessRefused } from '../shared/errors.ts';
import { count, flag, readable, text, word } from '../shared/fields.ts';
import { unsupportedContent } from '../shared/inbox/content.ts';
import { path, type Path } from '../shared/rest.ts';
import { onlyText } from '../shared/settle.ts';
import { actorOf, answerTo, callApi, idOfUrn, isOrganization, postUrl, readPage, Urn } from './api.ts';
import { COMMENT } from './rules.ts';

const NEWEST = 100;
const NONE = { totalLikes: 0, likedByCurrentUser: false, aggregatedTotalComments: 0 };

const Comment = z.object({
  commentUrn: Urn,
  actor: Urn,
  message: z.object({ text: word }).catch({ text: '' }),
  content: z.array(z.unknown()).catch([]).default([]),
  created: z.object({ time: z.number() }),
  parentComment: text,
  likesSummary: z.object({ totalLikes: count, likedByCurrentUser: flag }).catch(NONE),
  commentsSummary: z.object({ aggregatedTotalComments: count }).catch(NONE),
});
type Comment = z.output<typeof Comment>;

const Content = z.object({ type: word, url: text });

/** What is possible for every comment; for anything else LinkedIn has no API. */
export const CAN = Object.freeze({ can_like: true, can_hide: false, can_private_reply: false });

/** The path of a comment: `urn:li:comment:(urn:li:activity:1,2)` is comment 2 of an activity's thread. */
function commentPath(comment: string, post?: string): Path {
  const [, thread, id] = /^urn:li:comment:\((.+),(\d+)\)$/.exec(comment) ?? [];
  if (thread === undefined) throw refused('not_found');
  return path`/rest/socialActions/${{ thread: post ?? thread }}/comments/${{ id: id! }}`;
}

const linkTo = ({ hosts }: AccountCall, post: string, comment: string): string =>
  `${postUrl(hosts, post)}?commentUrn=${encodeURIComponent(comment)}`;

const Named = z.object({ localizedFirstName: word, localizedLastName: word, localizedName: word, vanityName: text });

/** Reads a person or an organization; it has only an id if LinkedIn refuses it. */
export async function readPerson(call: AccountCall, urn: string): Promise<Person> {
  return (await namedPerson(call, urn).catch(withoutName)) ?? { id: urn, name: '' };
}

async function namedPerson(call: AccountCall, urn: string): Promise<Person> {
  const id = idOfUrn(urn);
  const where = isOrganization(urn) ? path`/rest/organizations/${{ id }}` : path`/rest/people/(id:${{ id }})`;
  const found = await callApi(call, { method: 'GET', ...where }, Named);
  const { localizedName, localizedFirstName, localizedLastName, vanityName: username } = found;
  return { id: urn, name: localizedName || [localizedFirstName, localizedLastName].join(' ').trim(), username };
}

/** Passes over a refusal that is not about the session. */
function withoutName(error: unknown): undefined {
  if (!isRefused(error) || error.reason === 'auth') throw error;
}

/** How many people are read at a time. */
const ABREAST = 5;

/**
 * Reads people once each, a few at a time, because apps of the development tier may not read several in one request.
 * Most apps may not read other members at all, so after the first such refusal no other member is asked for.
 */
export async function readPeople(call: AccountCall, urns: readonly string[]): Promise<ReadonlyMap<string, Person>> {
  const known = new Map<string, Person>();
  let isForbidden = false;
  async function readOne(urn: string): Promise<void> {
    if (isForbidden && !isOrganization(urn)) return;
    const person = await namedPerson(call, urn).catch((error: unknown) => {
      isForbidden ||= !isOrganization(urn) && isRefused(error, 'permission_denied');
      return withoutName(error);
    });
    if (person) known.set(urn, person);
  }
  const [first, ...others] = new Set(urns);
  if (first !== undefined) await readOne(first);
  await mapAtOnce(others, ABREAST, readOne);
  return known;
}

/** The text and pictures of a comment; a picture without a URL is described in words. */
function contentOf({ message, content }: Comment) {
  const attachment = readable(Content, content);
  const media = attachment.flatMap(({ type, url }) => (url ? [{ type: type.toLowerCase() || 'image', url }] : []));
  if (message.text !== '' || media.length > 0 || attachment.length === 0) return { text: message.text, media };
  const { text: words, metadata } = unsupportedContent(attachment[0]!.type.toLowerCase() || 'image');
  return { text: words, metadata };
}

function commentOf(call: AccountCall, comment: Comment, { post, page }: CommentLocation, author?: Person) {
  const { commentUrn, actor, parentComment, likesSummary } = comment;
  return plainComment({
    platform_id: commentUrn,
    platform_post_id: post,
    parent_id: parentComment,
    page_id: page,
    author: author ?? { id: actor, name: '' },
    is_owner: actor === page,
    ...contentOf(comment),
    created_at: comment.created.time,
    permalink: linkTo(call, post, commentUrn),
    like_count: likesSummary.totalLikes,
    reply_count: comment.commentsSummary.aggregatedTotalComments,
    is_liked: likesSummary.likedByCurrentUser,
    capabilities: { ...CAN, can_delete: actor === page || isOrganization(page ?? '') },
  });
}

async function readBelow(call: AccountCall, thing: string, page: Paging) {
  const found = await readPage(call, path`/rest/socialActions/${{ thing }}/comments`, page);
  return { ...found, comments: readable(Comment, found.elements) };
}

async function list(call: AccountCall, location: CommentLocation, thing: string, page: Paging) {
  const { comments: found, cursor } = await readBelow(call, thing, page);
  const people = await readPeople(
    call,
    found.map(({ actor }) => actor),
  );
  return { items: found.map((one) => commentOf(call, one, location, people.get(one.actor))), cursor };
}

const readRaw = (call: AccountCall, where: Path) => callApi(call, { method: 'GET', ...where }, Comment);

export async function readComment(call: AccountCall, { comment, ...location }: CommentAt): Promise<PlatformComment> {
  const found = await readRaw(call, commentPath(comment));
  return commentOf(call, found, location, await readPerson(call, found.actor));
}

/** The parent of a reply; with only one level of replies, it is always a top-level comment. */
async function aboveOf(call: AccountCall, { comment }: ReplyRequest): Promise<string | undefined> {
  return comment && ((await readRaw(call, commentPath(comment))).parentComment ?? comment);
}

const Made = z.object({ commentUrn: Urn.optional().catch(undefined) });

async function write(call: AccountCall, request: ReplyRequest): Promise<CreatedComment> {
  const { post, page, text: words } = request;
  const parentComment = await aboveOf(call, request);
  const json = { actor: actorOf(page), object: post, message: { text: words.toWellFormed() }, parentComment };
  const where = path`/rest/socialActions/${{ thing: parentComment ?? post }}/comments`;
  const { headers, body } = await answerTo(call, { method: 'POST', json, ...where });
  const named = Made.safeParse(body).data?.commentUrn ?? headers['x-resourceidentity-urn'];
  if (named === undefined) throw unclear();
  return { comment_id: named, permalink: linkTo(call, post, named) };
}

/** Writes comments as a page; if a response is lost, the comment is looked up among the newest. */
export const writing = Object.freeze({
  send: write,
  async settle(call: AccountCall, request: ReplyRequest, lookup: Pick<SettleState, 'sentAt' | 'taken'>) {
    const thing = (await aboveOf(call, request)) ?? request.post;
    const first = await readBelow(call, thing, { limit: NEWEST });
    const cursor = String(Math.max(0, first.total - NEWEST));
    const last = first.cursor === undefined ? first : await readBelow(call, thing, { limit: NEWEST, cursor });
    const attachment = last.comments.map((one) => commentOf(call, one, request));
    const found = onlyText(attachment, request.text, lookup, ({ is_owner }) => is_owner);
    return found === 'unknown' ? found : { comment_id: found.platform_id, permalink: found.permalink };
  },
});

export const comments: Comments = {
  text: COMMENT,
  list: (call, location, page) => list(call, location, location.post, page),
  replies: (call, location, page) => list(call, location, location.comment, page),
  reply: writing,
  isComment: async (call, { post, comment }) =>
    (await readRaw(call, commentPath(comment, post))).commentUrn === comment,
  async remove(call, { comment, page }) {
    const { path: where, ids } = commentPath(comment);
    const request = { path: `${where}?actor={actor}`, ids: { ...ids, actor: actorOf(page) } };
    await unlessRefused(answerTo(call, { method: 'DELETE', ...request }), 'not_found');
  },
  async like(call, { comment, page }, liked) {
    const ids = { actor: actorOf(page), comment };
    const json = { root: comment, reactionType: 'LIKE' };
    const request = liked
      ? answerTo(call, { method: 'POST', path: '/rest/reactions?actor={actor}', ids, json })
      : answerTo(call, { method: 'DELETE', path: '/rest/reactions/(actor:{actor},entity:{comment})', ids });
    await unlessRefused(request, liked ? 'duplicate' : 'not_found');
  },
};
