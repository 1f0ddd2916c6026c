/** The data model of records: JSON with links and bytes, and its canonical encoding. */
import { createHash } from 'node:crypto';
import { decode, encode } from '@ipld/dag-cbor';
import { CID } from 'multiformats/cid';
import { create } from 'multiformats/hashes/digest';
import { invalid } from './xrpc.ts';

const DAG_CBOR = 0x71;
const RAW = 0x55;
const SHA_256 = 0x12;
const DEEPEST = 64;

const cidOf = (codec: number, bytes: Uint8Array): string =>
  CID.createV1(codec, create(SHA_256, createHash('sha256').update(bytes).digest())).toString();

export const blobCid = (bytes: Uint8Array): string => cidOf(RAW, bytes);

function parseLink(text: string, path: string): CID {
  try {
    return CID.parse(text);
  } catch {
    throw invalid(`Invalid CID string (got ${JSON.stringify(text.slice(0, 128))}) at ${path}`);
  }
}

function toModel(value: unknown, path: string, depth: number): unknown {
  // Refuse deep nesting before recursion exhausts the stack.
  if (depth > DEEPEST) throw invalid('Bad record');
  if (typeof value === 'number') {
    if (!Number.isSafeInteger(value)) throw invalid(`Expected integer value type (got ${value}) at ${path}`);
    return value === 0 ? 0 : value;
  }
  if (typeof value === 'string') {
    // A lone surrogate cannot be written as UTF-8, so it could not be read back.
    if (!value.isWellFormed()) throw invalid('Bad record');
    return value;
  }
  if (Array.isArray(value)) return value.map((item, at) => toModel(item, `${path}[${at}]`, depth + 1));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const [only] = entries;
  if (entries.length === 1 && only !== undefined && typeof only[1] === 'string') {
    if (only[0] === '$link') return parseLink(only[1], path);
    if (only[0] === '$bytes') return new Uint8Array(Buffer.from(only[1], 'base64'));
  }
  return Object.fromEntries(entries.map(([key, item]) => [key, toModel(item, `${path}.${key}`, depth + 1)]));
}

function toJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toJson);
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Uint8Array) return { $bytes: Buffer.from(value).toString('base64').replace(/=+$/, '') };
  const link = CID.asCID(value);
  if (link !== null) return { $link: link.toString() };
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toJson(item)]));
}

/** Encodes a record canonically. Returns its content id and its JSON as readers will see it. */
export function seal(record: unknown, path = '$.record'): { cid: string; json: string } {
  const bytes = encode(toModel(record, path, 0));
  return { cid: cidOf(DAG_CBOR, bytes), json: JSON.stringify(toJson(decode(bytes))) };
}

export type BlobLink = Readonly<{ cid: string; mime: string; size: number }>;

export function blobsIn(value: unknown): readonly BlobLink[] {
  if (Array.isArray(value)) return value.flatMap(blobsIn);
  if (typeof value !== 'object' || value === null) return [];
  const entry = value as Record<string, unknown>;
  const ref = entry['ref'] as { $link?: unknown } | null | undefined;
  if (entry['$type'] === 'blob' && typeof ref?.$link === 'string')
    return [{ cid: ref.$link, mime: String(entry['mimeType']), size: Number(entry['size']) }];
  return Object.values(entry).flatMap(blobsIn);
}

const ALPHABET = '234567abcdefghijklmnopqrstuvwxyz';

/** Makes an id from a time in microseconds; ids sort by time. */
export function tid(micros: number, clockId: number): string {
  let rest = (BigInt(micros) << 10n) | BigInt(clockId & 1023);
  let out = '';
  for (let at = 0; at < 13; at += 1) {
    out = ALPHABET.charAt(Number(rest & 31n)) + out;
    rest >>= 5n;
  }
  return out;
}
