import type * as z from 'zod';
import type { AccountCall } from '../call.ts';
import { authed } from './api.ts';

/** Where a record is: the DID of its repository, its collection, and its key. */
export type RecordPlace = Readonly<{ repo: string; collection: string; rkey: string }>;

type StoredRecord = Readonly<Record<string, unknown>>;

/** Reads a record from its repository. */
export function getRecord<T extends z.ZodType>(call: AccountCall, query: RecordPlace, schema: T) {
  return authed(call, { method: 'com.atproto.repo.getRecord', query }, schema);
}

/** Writes a record if its place is empty, or holds the version `cid`; else refuses with `duplicate`. */
export function putRecord<T extends z.ZodType>(
  call: AccountCall,
  place: RecordPlace,
  record: StoredRecord,
  schema: T,
  cid: string | null = null,
) {
  const post = { ...place, record, swapRecord: cid };
  return authed(call, { method: 'com.atproto.repo.putRecord', post }, schema);
}

/** Deletes a record; one that does not exist is no error. */
export function deleteRecord<T extends z.ZodType>(call: AccountCall, place: RecordPlace, schema: T) {
  return authed(call, { method: 'com.atproto.repo.deleteRecord', post: place }, schema);
}
