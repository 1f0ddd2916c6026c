import * as z from 'zod';
import type { Publishing, Settled } from '../platform.ts';
import { asPage, Id, listOf } from './api.ts';
import { isSameText } from './drafts.ts';

export type FirstComment = Readonly<{ id: string; permalink?: string | undefined }>;

const text = z.string().optional().catch(undefined);
const Made = z.object({ id: Id, permalink_url: text });
const Listed = listOf(
  z.object({
    id: Id,
    message: text,
    permalink_url: text,
    from: z.object({ id: Id }).optional().catch(undefined),
  }),
);

/** Writes the first comment under the post, as the page. */
export async function writeComment(call: Publishing, post: string): Promise<FirstComment> {
  const form = { message: call.post.first_comment!.toWellFormed(), fields: 'id,permalink_url' };
  const ask = { method: 'POST', path: '/{post}/comments', ids: { post }, form } as const;
  const { id, permalink_url: permalink } = await asPage(call, call.post.page_id, ask, Made);
  return { id, permalink };
}

/** Looks for the comment among the newest; it is surely absent only from a list that is complete. */
export async function settleComment(call: Publishing, post: string): Promise<Settled> {
  const query = {
    filter: 'toplevel',
    order: 'reverse_chronological',
    fields: 'id,from,message,permalink_url',
    limit: 100,
  };
  const ask = { method: 'GET', path: '/{post}/comments', ids: { post }, query } as const;
  const list = await asPage(call, call.post.page_id, ask, Listed);
  const found = list.data.find(
    ({ from, message }) => from?.id === call.post.page_id && isSameText(message, call.post.first_comment!),
  );
  if (found) return { made: { id: found.id, permalink: found.permalink_url } satisfies FirstComment };
  return list.paging?.next === undefined ? 'absent' : 'unknown';
}
