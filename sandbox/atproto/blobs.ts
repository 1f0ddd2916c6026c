import type { Clock } from '#kernel/clock.ts';
import { typeOf } from '../kit/files.ts';
import type { Store } from '../store.ts';
import { blobCid, type BlobLink } from './ipld.ts';
import { invalid, procedure, query, required, type Method } from './xrpc.ts';

/** Bytes that no record refers to are deleted after this time. */
const UNREFERENCED_LIFE = 2 * 3_600_000;
/** The limit of the official public server. */
export const LARGEST_BLOB = 52_428_800;

export type Blobs = Readonly<{
  methods: Readonly<Record<string, Method>>;
  /** Links a record to its blobs; throws if one is missing or was deleted. Inside a transaction. */
  hold(did: string, recordUri: string, blobs: readonly BlobLink[]): void;
  /** Deletes blobs that only the previous version used, except those in `staying`. Inside a transaction. */
  release(did: string, recordUri: string, staying: readonly BlobLink[]): void;
  reset(): void;
}>;

type Row = { cid: string; mime: string; size: number; held: number };

export function openBlobs({ db, write }: Store, clock: Clock): Blobs {
  db.exec(`
    create table if not exists bsky_blob (
      did text not null, cid text not null, mime text not null, size integer not null, bytes blob not null,
      held integer not null default 0, created_at integer not null, primary key (did, cid)
    ) strict;
    create index if not exists bsky_blob_loose on bsky_blob (created_at) where held = 0;
    create table if not exists bsky_blob_use (
      did text not null, cid text not null, record_uri text not null, primary key (did, record_uri, cid)
    ) strict;
    create index if not exists bsky_blob_use_cid on bsky_blob_use (did, cid);
  `);
  const insert = db.prepare(
    `insert into bsky_blob (did, cid, mime, size, bytes, created_at) values (?, ?, ?, ?, ?, ?)
     on conflict do update set created_at = excluded.created_at, mime = case held when 1 then mime else excluded.mime end`,
  );
  const find = db.prepare('select cid, mime, size, held from bsky_blob where did = ? and cid = ?');
  const bytesOf = db.prepare('select mime, bytes from bsky_blob where did = ? and cid = ? and held = 1');
  const sweep = db.prepare('delete from bsky_blob where held = 0 and created_at <= ?');
  const keep = db.prepare('update bsky_blob set held = 1 where did = ? and cid = ?');
  const use = db.prepare('insert into bsky_blob_use (did, cid, record_uri) values (?, ?, ?) on conflict do nothing');
  const unuse = db.prepare('delete from bsky_blob_use where did = ? and record_uri = ? returning cid');
  const used = db.prepare('select 1 from bsky_blob_use where did = ? and cid = ? limit 1');
  const drop = db.prepare('delete from bsky_blob where did = ? and cid = ?');
  const sweepLoose = () => void sweep.run(clock.now() - UNREFERENCED_LIFE);

  const uploadBlob = procedure<Buffer>({
    body: 'blob',
    charges: ({ session }) => [{ name: 'upload', key: session.did, limit: 1000, window_s: 86_400, points: 1 }],
    note: ({ input, headers }) => `${input.length} bytes of ${headers['content-type'] ?? 'nothing said'}`,
    async run({ input, headers, session }) {
      const content = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
      // As on a real server, the type is read from the bytes and not taken from the caller.
      const mime = (await typeOf(input)) ?? (content || 'application/octet-stream');
      const cid = blobCid(input);
      write(() => {
        sweepLoose();
        insert.run(session.did, cid, mime, input.length, input, clock.now());
      });
      return { json: { blob: { $type: 'blob', ref: { $link: cid }, mimeType: mime, size: input.length } } };
    },
  });

  const getBlob = query({
    run({ params }) {
      const cid = required(params, 'cid');
      const row = bytesOf.get(required(params, 'did'), cid) as { mime: string; bytes: Buffer } | undefined;
      if (row === undefined) throw invalid('Blob not found', 'BlobNotFound');
      return {
        bytes: row.bytes,
        // Browsers may show untrusted bytes as pictures, but never run them as one of our pages.
        headers: {
          'Content-Type': row.mime,
          'Content-Disposition': `attachment; filename="${cid}"`,
          'Content-Security-Policy': "default-src 'none'; sandbox",
          'X-Content-Type-Options': 'nosniff',
        },
      };
    },
  });

  return Object.freeze({
    methods: Object.freeze({ 'com.atproto.repo.uploadBlob': uploadBlob, 'com.atproto.sync.getBlob': getBlob }),
    hold(did: string, recordUri: string, blobs: readonly BlobLink[]) {
      sweepLoose();
      for (const blob of blobs) {
        const row = find.get(did, blob.cid) as Row | undefined;
        if (row === undefined) throw invalid(`Could not find blob: ${blob.cid}`, 'BlobNotFound');
        if (row.mime !== blob.mime)
          throw invalid(
            `Referenced Mimetype does not match stored blob. Expected: ${row.mime}, Got: ${blob.mime}`,
            'InvalidMimeType',
          );
        if (row.size !== blob.size)
          throw invalid(
            `Referenced Size does not match stored blob. Expected: ${row.size}, Got: ${blob.size}`,
            'InvalidSize',
          );
        keep.run(did, blob.cid);
        use.run(did, blob.cid, recordUri);
      }
    },
    release(did: string, recordUri: string, staying: readonly BlobLink[]) {
      for (const { cid } of unuse.all(did, recordUri) as { cid: string }[]) {
        if (used.get(did, cid) !== undefined || staying.some((blob) => blob.cid === cid)) continue;
        drop.run(did, cid);
      }
    },
    reset: () => void db.exec('delete from bsky_blob; delete from bsky_blob_use'),
  });
}
