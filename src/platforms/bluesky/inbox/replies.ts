import * as z from 'zod';
import type { CreatedComment, ReplyRequest } from '../../interactions.ts';
import type { Sending } from '../../sending.ts';
import type { AccountCall } from '../../call.ts';
import { type Written, composeText } from '../posts/compose.ts';
import { type Ref, permalinkOf, put } from '../posts/publish.ts';
import { sessionOf } from '../accounts/session.ts';
import { getRecord, postAt } from '../records.ts';

const Strong = z.object({ uri: z.string(), cid: z.string() });
const PostRead = Strong.extend({
  value: z.object({ reply: z.object({ root: Strong, parent: Strong }).optional() }),
});

type Read = Readonly<{ post: Ref; root: Ref; parent: Ref | undefined }>;

/** Reads a post, its parent and its root (itself if it is the root) from its author's PDS. */
export async function readPost(call: AccountCall, uri: string): Promise<Read> {
  const { cid, value } = await getRecord(call, postAt(uri), PostRead);
  return { post: { uri, cid }, root: value.reply?.root ?? { uri, cid }, parent: value.reply?.parent };
}

/** Prepares the key and record of a reply before the first write, so that a repeated write changes nothing. */
export const reply = Object.freeze<Sending<ReplyRequest, CreatedComment>>({
  idempotent: true,
  async prepare(call, { post, comment, text }): Promise<Written> {
    const { post: parent, root } = await readPost(call, comment ?? post);
    const { rkey, record } = await composeText(call, text);
    return { rkey, record: { ...record, reply: { root, parent } } };
  },
  async send(call, _, { prepared: plan }) {
    const written = plan as Written;
    const { uri } = await put(call, written);
    return { comment_id: uri, permalink: permalinkOf(call.hosts, sessionOf(call.session).handle, written.rkey) };
  },
});
