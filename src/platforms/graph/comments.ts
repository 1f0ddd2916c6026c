import * as z from 'zod';
import type { AccountCall } from '../call.ts';
import type { CommentAt, CommentLocation, Comments, CreatedComment, PagingSince } from '../interactions.ts';
import type { PlatformComment } from '../inbox-types.ts';
import type { SettleState } from '../sending.ts';
import { unlessRefused } from '../shared/errors.ts';
import { text } from '../shared/fields.ts';
import type { Fields } from '../shared/rest.ts';
import { onlyText } from '../shared/settle.ts';
import { Changed, cursorOf, type GraphRequest, Id, listOf, paged, readNewer } from './api.ts';
import { newerOf } from '../shared/inbox/newest.ts';

export type CommentApi<T extends z.ZodType> = Readonly<{
  /** The order of comment lists; replies are always oldest first. */
  order?: Comments['order'];
  /** The requested fields of a comment, with their schema and the page size. */
  fields: string;
  item: T;
  most: number;
  commentOf(call: AccountCall, comment: z.output<T>, location: CommentLocation): PlatformComment;
  edges: Readonly<{ post: string; comment: string }>;
  /** Additional parameters of lists, of searches for the newest comments, and of new comments. */
  more?: Readonly<{ read: Fields; newest: Fields; made: Fields }>;
  /** The field in which a reply names its parent. */
  above: Readonly<{ fields: string; item: z.ZodType<string | undefined> }>;
  ownerOf(call: AccountCall, location: CommentLocation): string;
  request<S extends z.ZodType>(
    call: AccountCall,
    owner: string,
    request: GraphRequest,
    schema: S,
  ): Promise<z.output<S>>;
}>;

type Written = CommentLocation & Readonly<{ comment?: string | undefined; text: string }>;
type Lookup = Pick<SettleState, 'sentAt' | 'taken'>;
type Below = Readonly<{ thing: string; edge: string }>;
type Action = Readonly<{ method: 'POST' | 'DELETE'; path?: string; form?: Fields; query?: Fields }>;

const MadeHere = z.object({ id: Id, permalink_url: text });

/** Comments with one level of replies, and what the owner of a post may do with them. */
export function graphComments<T extends z.ZodType>(api: CommentApi<T>) {
  const { order, fields, most, edges, more, above, ownerOf, request, commentOf } = api;
  const Listed = listOf(api.item);
  const belowPost = (thing: string): Below => ({ thing, edge: edges.post });
  const belowComment = (thing: string): Below => ({ thing, edge: edges.comment });

  async function read(call: AccountCall, { post, page }: CommentLocation, { thing, edge }: Below, query: Fields) {
    const options = { method: 'GET', path: `/{thing}/${edge}`, ids: { thing }, query } as const;
    const list = await request(call, page!, options, Listed);
    return { items: list.data.map((comment) => commentOf(call, comment, { post, page })), cursor: cursorOf(list) };
  }

  async function readBelow(
    call: AccountCall,
    location: CommentLocation,
    below: Below,
    { since, ...from }: PagingSince,
  ) {
    const at = { post: location.post, page: ownerOf(call, location) };
    const pageAt = (cursor: string | undefined) =>
      read(call, at, below, { ...more?.read, ...paged(fields, { ...from, cursor }, most) });
    if (order === undefined) return readNewer(pageAt, { ...from, since });
    const page = await pageAt(from.cursor);
    const newer = newerOf(page, since);
    return below.edge === edges.post ? newer : { ...newer, cursor: page.cursor };
  }

  /** Where to look for a comment: a reply to a reply is listed below the top-level comment. */
  async function belowOf(call: AccountCall, owner: string, { post, comment }: Written): Promise<Below> {
    if (comment === undefined) return belowPost(post);
    const options = { method: 'GET', path: '/{comment}', ids: { comment }, query: { fields: above.fields } } as const;
    return belowComment((await request(call, owner, options, above.item)) ?? comment);
  }

  async function write(
    call: AccountCall,
    owner: string,
    { post, comment, text: words }: Written,
  ): Promise<CreatedComment> {
    const { thing, edge } = comment === undefined ? belowPost(post) : belowComment(comment);
    const form = { message: words.toWellFormed(), ...more?.made };
    const options = { method: 'POST', path: `/{thing}/${edge}`, ids: { thing }, form } as const;
    const { id, permalink_url: permalink } = await request(call, owner, options, MadeHere);
    return { comment_id: id, permalink };
  }

  /** Searches the newest comments; lists may be delayed, so a comment that is not found may still exist. */
  async function find(
    call: AccountCall,
    owner: string,
    request: Written,
    lookup: Lookup,
  ): Promise<CreatedComment | 'unknown'> {
    const below = await belowOf(call, owner, request);
    const query = { ...more?.newest, fields, limit: most };
    const { items } = await read(call, { post: request.post, page: owner }, below, query);
    const found = onlyText(items, request.text, lookup, ({ is_owner }) => is_owner);
    return found === 'unknown' ? found : { comment_id: found.platform_id, permalink: found.permalink };
  }

  async function act(
    call: AccountCall,
    location: CommentAt,
    { path = '/{comment}', ...action }: Action,
  ): Promise<void> {
    await request(call, ownerOf(call, location), { ...action, path, ids: { comment: location.comment } }, Changed);
  }

  return Object.freeze({
    list: (call: AccountCall, location: CommentLocation, page: PagingSince) =>
      readBelow(call, location, belowPost(location.post), page),
    replies: (call: AccountCall, location: CommentAt, page: PagingSince) =>
      readBelow(call, location, belowComment(location.comment), page),

    async readComment(call: AccountCall, { comment, ...location }: CommentAt): Promise<PlatformComment> {
      const page = ownerOf(call, location);
      const options = { method: 'GET', path: '/{comment}', ids: { comment }, query: { fields } } as const;
      return commentOf(call, await request(call, page, options, api.item), { ...location, page });
    },

    /** Writes comments, by default as the owner of the post; if a response is lost, the comment is looked up. */
    writing: (owner = ownerOf) =>
      Object.freeze({
        send: (call: AccountCall, request: Written) => write(call, owner(call, request), request),
        settle: (call: AccountCall, request: Written, lookup: Lookup) =>
          find(call, owner(call, request), request, lookup),
      }),

    act,

    /** Deletes a comment; a missing comment counts as success. */
    async remove(call: AccountCall, location: CommentAt): Promise<void> {
      await unlessRefused(act(call, location, { method: 'DELETE' }), 'not_found');
    },
  });
}
