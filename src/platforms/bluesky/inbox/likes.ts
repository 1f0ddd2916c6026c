import * as z from 'zod';
import type { CommentAt } from '../../interactions.ts';
import type { AccountCall } from '../../call.ts';
import type { PlatformError } from '../../errors.ts';
import { isWithoutAppView } from '../errors.ts';
import { readPost } from './replies.ts';
import { sessionOf } from '../accounts/session.ts';
import { likeKey } from '../posts/tid.ts';
import { lookUp } from './views.ts';
import { unlessRefused } from '../../shared/errors.ts';
import { deleteRecord, getRecord, ownRecordRef, recordRefOf, postAt, putRecord } from '../records.ts';

const COLLECTION = 'app.bsky.feed.like';

const Deleted = z.object({ commit: z.unknown().optional() });

/** Likes or unlikes a comment; the record key derives from the comment, so a repeated like changes nothing. */
export async function like(call: AccountCall, { comment }: CommentAt, liked: boolean): Promise<void> {
  postAt(comment);
  if (liked) await give(call, comment);
  else await takeBack(call, comment);
}

async function give(call: AccountCall, uri: string): Promise<void> {
  const view = await viewOf(call, uri);
  if (view.like !== undefined && (await isThere(call, view.like))) return;
  const subject = view.subject ?? (await readPost(call, uri)).post;
  const record = { $type: COLLECTION, subject, createdAt: new Date(call.now()).toISOString() };
  // If the key is taken, our like already exists with another timestamp.
  await unlessRefused(putRecord(call, ownRecordRef(call, COLLECTION, likeKey(uri)), record, z.unknown()), 'duplicate');
}

async function takeBack(call: AccountCall, uri: string): Promise<void> {
  const key = likeKey(uri);
  const taken = await remove(call, key);
  const view = await viewOf(call, uri);
  if (view.unknown && !taken) throw view.unknown;
  const other = view.like === undefined ? undefined : readLike(call, view.like);
  if (other !== undefined && other !== key) await remove(call, other);
}

type View = Readonly<{
  like?: string | undefined;
  subject?: Readonly<{ uri: string; cid: string }> | undefined;
  unknown?: PlatformError;
}>;

/** A post as the AppView shows it; if the AppView is down, the PDS can still write the like. */
async function viewOf(call: AccountCall, uri: string): Promise<View> {
  try {
    const post = (await lookUp(call, [uri])).get(uri);
    return post ? { like: post.viewer?.like, subject: { uri, cid: post.cid } } : {};
  } catch (error) {
    if (!isWithoutAppView(error)) throw error;
    return { unknown: error as PlatformError };
  }
}

/** Asks the account's PDS, which decides: the AppView may still show a like that was just deleted. */
async function isThere(call: AccountCall, uri: string): Promise<boolean> {
  const key = readLike(call, uri);
  if (key === undefined) return false;
  const read = getRecord(call, ownRecordRef(call, COLLECTION, key), z.unknown()).then(() => true);
  return (await unlessRefused(read, 'not_found')) ?? false;
}

/** Deletes a record; true if the server reports that it existed. */
async function remove(call: AccountCall, key: string): Promise<boolean> {
  return (await deleteRecord(call, ownRecordRef(call, COLLECTION, key), Deleted)).commit !== undefined;
}

function readLike(call: AccountCall, uri: string): string | undefined {
  const { repo, rkey } = recordRefOf(uri, COLLECTION) ?? {};
  return repo === sessionOf(call.session).did ? rkey : undefined;
}
