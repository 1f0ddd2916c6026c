import type * as z from 'zod';
import type { AccountCall } from '../call.ts';
import { refused } from '../shared/errors.ts';
import { sessionOf } from './accounts/session.ts';
import { authed } from './api.ts';

/** The location of a record: the DID of its repository, its collection and its key. */
export type RecordRef = Readonly<{ repo: string; collection: string; rkey: string }>;

export const POSTS = 'app.bsky.feed.post';

export const POST_URI = /^at:\/\/did:[^/?#\s]+\/app\.bsky\.feed\.post\/[A-Za-z0-9._:~-]{1,512}$/;
const URI = /^at:\/\/(did:[^/]+)\/([A-Za-z0-9.-]+)\/([A-Za-z0-9._:~-]{1,512})$/;

/** Parses a record's URI; undefined if it belongs to another collection. */
export function recordRefOf(uri: string, of = POSTS): RecordRef | undefined {
  const [, repo, collection, rkey] = URI.exec(uri) ?? [];
  return repo !== undefined && rkey !== undefined && collection === of ? { repo, collection, rkey } : undefined;
}

/** Parses a post's URI; throws `not_found` if it does not name a post. */
export function postAt(uri: string): RecordRef {
  const ref = recordRefOf(uri);
  if (ref === undefined) throw refused('not_found', 'Bluesky knows no such post.');
  return ref;
}

export const uriOf = ({ repo, collection, rkey }: RecordRef) => `at://${repo}/${collection}/${rkey}`;

export function ownRecordRef(call: AccountCall, collection: string, rkey: string): RecordRef {
  return { repo: sessionOf(call.session).did, collection, rkey };
}

type StoredRecord = Readonly<Record<string, unknown>>;

export function getRecord<T extends z.ZodType>(call: AccountCall, query: RecordRef, schema: T) {
  return authed(call, { method: 'com.atproto.repo.getRecord', query }, schema);
}

/** Writes a record if none exists or if its version is `cid`; otherwise throws `duplicate`. */
export function putRecord<T extends z.ZodType>(
  call: AccountCall,
  ref: RecordRef,
  record: StoredRecord,
  schema: T,
  cid: string | null = null,
) {
  const post = { ...ref, record, swapRecord: cid };
  return authed(call, { method: 'com.atproto.repo.putRecord', post }, schema);
}

/** Deletes a record; a missing record counts as success. */
export function deleteRecord<T extends z.ZodType>(call: AccountCall, ref: RecordRef, schema: T) {
  return authed(call, { method: 'com.atproto.repo.deleteRecord', post: ref }, schema);
}
