import type { Check } from '../kit/api/checks.ts';
import { has } from './formats.ts';
import { invalid } from './xrpc.ts';

/** The known record types by name, with the checks of their keys and contents. */
export type Lexicons = Readonly<Record<string, Readonly<{ key: 'tid' | 'self'; check: Check }>>>;

/** Checks a record against its lexicon. Returns `unknown` for a type without one, as a real server does. */
export function validateRecord(
  lexicons: Lexicons,
  collection: string,
  record: Record<string, unknown>,
  validate: boolean | undefined,
): 'valid' | 'unknown' | undefined {
  if (validate === false) return undefined;
  if (record['$type'] !== collection)
    throw invalid(`Invalid $type: expected ${collection}, got ${String(record['$type'])}`);
  const lexicon = Object.hasOwn(lexicons, collection) ? lexicons[collection] : undefined;
  if (lexicon === undefined) {
    if (validate === true) throw invalid(`Lexicon not found: lex:${collection}`);
    return 'unknown';
  }
  const wrong = lexicon.check(record, '$.record');
  if (wrong !== undefined) throw invalid(`Invalid ${collection} record: ${wrong}`);
  return 'valid';
}

export function fixedKey(lexicons: Lexicons, collection: string): string | undefined {
  return Object.hasOwn(lexicons, collection) && lexicons[collection]?.key === 'self' ? 'self' : undefined;
}

/** Checks a record key against the general format and that of its lexicon. */
export function validateKey(lexicons: Lexicons, collection: string, rkey: string, validate: boolean | undefined): void {
  if (!has('record-key', rkey))
    throw invalid(`Invalid record key (got ${JSON.stringify(rkey.slice(0, 64))}) at $.rkey`);
  if (validate === false || !Object.hasOwn(lexicons, collection)) return;
  const key = lexicons[collection]?.key;
  if (key === 'tid' && !has('tid', rkey))
    throw invalid(`Invalid TID string (got ${JSON.stringify(rkey.slice(0, 64))}) at $.rkey`);
  if (key === 'self' && rkey !== 'self')
    throw invalid(`Expected "self" (got ${JSON.stringify(rkey.slice(0, 64))}) at $.rkey`);
}
