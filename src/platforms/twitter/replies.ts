import type { AccountCall } from '../call.ts';
import type { CommentLocation, Comments, Mentions, PagingSince } from '../interactions.ts';
import { refused, unlessRefused } from '../shared/errors.ts';
import { newerOf } from '../shared/inbox/newest.ts';
import { anything } from '../shared/fields.ts';
import { answering } from '../shared/posting.ts';
import { path, type RestRequest } from '../shared/rest.ts';
import { request } from './api.ts';
import { TEXT } from './rules.ts';
import * as tweets from './tweets.ts';
import { find, removePost, write } from './posts.ts';

const { commentOf, mentionOf, parentOf, readPosts, rootOf, viewerOf } = tweets;
type Post = tweets.Post;

/** The page sizes that X accepts; lists of mentions have a lower minimum than searches. */
const LEAST = 10;
const MOST = 100;
const LEAST_MENTIONS = 5;

const within = (limit: number, least: number) => Math.min(Math.max(limit, least), MOST);

/** Searches replies of the last 7 days, newest first. */
export const searchReplies = (call: AccountCall, query: string, more: RestRequest['query']) =>
  tweets.listPosts(call, { path: '/2/tweets/search/recent', query: { query, ...more } });

/** Splits posts into comments (in conversations that the account began) and mentions; unknown roots are read. */
export async function sorted(call: AccountCall, items: readonly Post[], includes: tweets.IncludedObjects) {
  const viewer = viewerOf(call);
  const { me } = viewer;
  const isFirst = (post: Post) => post.in_reply_to_user_id === me && parentOf(post) === rootOf(post);
  const posts = items.filter(({ author_id }) => author_id !== me);
  const deeper = posts.filter((post) => parentOf(post) !== undefined && !isFirst(post)).map(rootOf);
  const roots = deeper.length === 0 ? [] : await readPosts(call, [...new Set(deeper)].slice(0, MOST));
  const own = new Set(roots.filter(({ author_id }) => author_id === me).map(({ id }) => id));
  const isComment = (post: Post) => parentOf(post) !== undefined && (isFirst(post) || own.has(rootOf(post)));
  return {
    comments: posts.filter(isComment).map((post) => commentOf(viewer, post, includes)),
    mentions: posts.filter((post) => !isComment(post)).map((post) => mentionOf(viewer, post, includes)),
    read: items.length + roots.length,
  };
}

/** Lists comments of the last 7 days by a search; earlier ones come from the store. */
async function list(call: AccountCall, post: string, parent: string, { limit, cursor, since }: PagingSince) {
  const more = { max_results: within(limit, LEAST), next_token: cursor };
  const page = await searchReplies(call, `conversation_id:${idOf(post)} is:reply`, more);
  // An empty search result may mean that the post is deleted.
  if (page.items.length === 0 && cursor === undefined && (await readPosts(call, [post])).length === 0) {
    throw refused('not_found');
  }
  const all = page.items.map((one) => commentOf(viewerOf(call), one, page.includes));
  const { items, cursor: next } = newerOf({ items: all, cursor: page.cursor }, since);
  return { items: items.filter(({ parent_id = post }) => parent_id === parent), cursor: next };
}

/** Checks an id before it becomes part of a query, because ids may come from callers. */
function idOf(post: string): string {
  if (!/^\d{1,30}$/.test(post)) throw refused('not_found');
  return post;
}

/** X lets the account reply only to people who mention or quote it, and to itself. */
const reply = answering(write, find, tweets.permalinkOf);

/** Other people's replies can be hidden but not deleted. */
export const comments: Comments = {
  text: TEXT,
  order: 'newest',
  list: (call, { post }: CommentLocation, page) => list(call, post, post, page),
  replies: (call, { post, comment }, page) => list(call, post, comment, page),
  reply,
  async isComment(call, { post, comment }) {
    const [found] = await readPosts(call, [idOf(comment)]);
    return found !== undefined && comment !== post && [found.conversation_id, parentOf(found)].includes(post);
  },
  remove: (call, { comment }) => removePost(call, comment),
  async hide(call, { comment }, hidden) {
    const options = { method: 'PUT', ...path`/2/tweets/${{ comment }}/hidden`, json: { hidden } } as const;
    await unlessRefused(request(call, options, anything), 'not_found');
  },
};

export const mentions: Mentions = {
  text: TEXT,
  async list(call, { limit, cursor, since }) {
    const page = await tweets.postsOf(call, 'mentions', {
      max_results: within(limit, LEAST_MENTIONS),
      pagination_token: cursor,
    });
    const { mentions: items } = await sorted(call, page.items, page.includes);
    return newerOf({ items, cursor: page.cursor }, since);
  },
  reply,
};
