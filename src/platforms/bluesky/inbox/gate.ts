import * as z from 'zod';
import type { CommentAt } from '../../interactions.ts';
import type { AccountCall } from '../../call.ts';
import { isNamed, refused, unfit, unlessRefused } from '../../shared/errors.ts';
import { readPost } from './replies.ts';
import { sessionOf } from '../accounts/session.ts';
import { getRecord, recordRefOf, putRecord } from '../records.ts';

const COLLECTION = 'app.bsky.feed.threadgate';
const MOST_HIDDEN = 300;
const TRIES = 8;

const Gate = z.object({
  cid: z.string(),
  value: z.looseObject({ hiddenReplies: z.array(z.string()).catch([]).default([]) }),
});

/** Hides or shows a reply through the threadgate of the root post, and keeps its other settings. */
export async function hide(call: AccountCall, place: CommentAt, hidden: boolean): Promise<void> {
  const root = await rootOf(call, place, hidden);
  const begun = recordRefOf(root);
  if (begun?.repo !== sessionOf(call.session).did) {
    throw refused('permission_denied', 'Replies are hidden by whoever began the thread.');
  }
  const at = { ...begun, collection: COLLECTION };
  for (let left = TRIES; ; left--) {
    const gate = await unlessRefused(getRecord(call, at, Gate), 'not_found');
    const before = gate?.value.hiddenReplies ?? [];
    if (before.includes(place.comment) === hidden) return;
    const hiddenReplies = hidden ? [...before, place.comment] : before.filter((uri) => uri !== place.comment);
    if (hiddenReplies.length > MOST_HIDDEN) throw unfit(`Bluesky hides at most ${MOST_HIDDEN} replies of a thread.`);
    const fresh = { $type: COLLECTION, post: root, createdAt: new Date(call.now()).toISOString() };
    const record = { ...(gate?.value ?? fresh), hiddenReplies };
    try {
      await putRecord(call, at, record, z.unknown(), gate?.cid);
      return;
    } catch (error) {
      // Another client changed the threadgate between our read and our write.
      if (!isNamed(error, 'InvalidSwap') || left === 1) throw error;
    }
  }
}

/** The root post of the thread; `post` if the reply was deleted, so that it can still be taken off the list. */
async function rootOf(call: AccountCall, { post, comment }: CommentAt, hidden: boolean) {
  const read = readPost(call, comment);
  return (await (hidden ? read : unlessRefused(read, 'not_found')))?.root.uri ?? post;
}
