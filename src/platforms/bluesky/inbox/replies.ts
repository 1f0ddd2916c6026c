import * as z from 'zod';
import type { MadeComment, ReplyRequest } from '../../interactions.ts';
import type { Sending } from '../../sending.ts';
import type { AccountCall } from '../../call.ts';
import { PlatformError } from '../../errors.ts';
import { authed } from '../api.ts';
import { type Written, composeText } from '../posts/compose.ts';
import { COLLECTION, type Ref, permalinkOf, put, readPostUri } from '../posts/publish.ts';
import { sessionOf } from '../accounts/session.ts';

const Strong = z.object({ uri: z.string(), cid: z.string() });
const PostRead = Strong.extend({
  value: z.object({ reply: z.object({ root: Strong, parent: Strong }).optional() }),
});

type Read = Readonly<{ post: Ref; root: Ref; parent: Ref | undefined }>;

/** A post with its parent and its root (itself if it is the root), as its author's PDS returns them. */
export async function readPost(call: AccountCall, uri: string): Promise<Read> {
  const { did, rkey } = readPostUri(uri) ?? {};
  if (did === undefined) throw new PlatformError('refused', 'not_found', 'Bluesky knows no such post.');
  const query = { repo: did, collection: COLLECTION, rkey };
  const { cid, value } = await authed(call, { method: 'com.atproto.repo.getRecord', query }, PostRead);
  return { post: { uri, cid }, root: value.reply?.root ?? { uri, cid }, parent: value.reply?.parent };
}

/**
 * A reply to a post or a comment. Key and record are fixed before the first write, so that a repeated write changes
 * nothing (rulings 3.3).
 */
export const reply = Object.freeze<Sending<ReplyRequest, MadeComment>>({
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
