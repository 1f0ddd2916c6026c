import { createHash } from 'node:crypto';
import type { Clock } from '#kernel/clock.ts';
import type { Store } from '../store.ts';
import type { Doc, DocStore } from './docs.ts';

/** A stored file; its id is its path on the file host. */
export type Blob = Doc & Readonly<{ mime: string; size: number; name: string }>;

export type Writer = Readonly<{
  add(chunk: Uint8Array): void;
  /** The number of bytes received, including those not written yet. */
  at(): number;
  flush(): void;
}>;

export type Files = Readonly<{
  find(id: string): Blob | undefined;
  open(name: string): Blob;
  /** Writes at an offset and drops everything after it. */
  write(id: string, offset: number, bytes: Uint8Array): void;
  /** Sets the type and size from the stored bytes. */
  finish(id: string): Promise<Blob>;
  keep(bytes: Uint8Array, name: string): Promise<Blob>;
  join(ids: readonly string[], name: string): Promise<Blob>;
  /** Streams bytes to disk, one chunk in memory at a time; `kept` runs in the same transaction as each write. */
  writer(id: string, from?: number, kept?: (end: number) => void): Writer;
  pieces(id: string): Iterable<Buffer>;
  head(id: string): Buffer;
  size(id: string): number;
  sha256(id: string): string;
  reset(): void;
}>;

const PIECE = 1024 * 1024;
/** Enough bytes to recognise the type of a file. */
const HEAD = 64 * 1024;

export async function typeOf(bytes: Uint8Array): Promise<string | undefined> {
  // Load the package with the first file.
  const { fileTypeFromBuffer } = await import('file-type');
  return (await fileTypeFromBuffer(bytes))?.mime;
}

/** Stores files in chunks: an interrupted upload keeps what arrived, and no whole file is in memory. */
export function openFiles(
  { db, write: transact }: Store,
  prefix: string,
  { nodes, clock, newId }: Readonly<{ nodes: DocStore<{ blob: Blob }>; clock: Clock; newId(): string }>,
): Files {
  const table = `${prefix}_piece`;
  db.exec(`create table if not exists ${table} (
    id text not null, at integer not null, bytes blob not null, primary key (id, at)
  ) strict`);
  const insert = db.prepare(`insert into ${table} (id, at, bytes) values (?, ?, ?)`);
  const dropFrom = db.prepare(`delete from ${table} where id = ? and at >= ?`);
  const cut = db.prepare(
    `update ${table} set bytes = substr(bytes, 1, ? - at) where id = ? and at < ? and at + length(bytes) > ?`,
  );
  const total = db.prepare(`select coalesce(sum(length(bytes)), 0) as n from ${table} where id = ?`);
  const offsets = db.prepare(`select at from ${table} where id = ? order by at`);
  const one = db.prepare(`select bytes from ${table} where id = ? and at = ?`);

  function open(name: string): Blob {
    return nodes.put('blob', { id: newId(), at: clock.now(), mime: 'application/octet-stream', size: 0, name });
  }
  function write(id: string, offset: number, bytes: Uint8Array): void {
    transact(() => {
      cut.run(offset, id, offset, offset);
      dropFrom.run(id, offset);
      for (let at = 0; at < bytes.length; at += PIECE) insert.run(id, offset + at, bytes.subarray(at, at + PIECE));
    });
  }
  function writer(id: string, from = 0, kept?: (end: number) => void): Writer {
    // Reuse one buffer, so that large files leave no garbage.
    const piece = Buffer.allocUnsafe(PIECE);
    let gathered = 0;
    let written = from;
    function flush(): void {
      if (gathered === 0) return;
      const end = written + gathered;
      transact(() => {
        write(id, written, piece.subarray(0, gathered));
        kept?.(end);
      });
      written = end;
      gathered = 0;
    }
    function add(chunk: Uint8Array): void {
      for (let at = 0; at < chunk.length;) {
        const part = chunk.subarray(at, at + PIECE - gathered);
        piece.set(part, gathered);
        gathered += part.length;
        at += part.length;
        if (gathered === PIECE) flush();
      }
    }
    return Object.freeze({ add, at: () => written + gathered, flush });
  }
  const size = (id: string) => (total.get(id) as { n: number }).n;
  /** Reads chunk by chunk, because an open statement would block every write. */
  function* pieces(id: string): Generator<Buffer> {
    for (const { at } of offsets.all(id) as { at: number }[]) {
      const row = one.get(id, at) as { bytes: Buffer } | undefined;
      if (row !== undefined) yield row.bytes;
    }
  }
  function head(id: string): Buffer {
    for (const piece of pieces(id)) return piece.subarray(0, HEAD);
    return Buffer.alloc(0);
  }
  async function finish(id: string): Promise<Blob> {
    const mime = (await typeOf(head(id))) ?? 'application/octet-stream';
    return nodes.change('blob', id, { mime, size: size(id) });
  }

  return Object.freeze({
    find: (id: string) => nodes.get('blob', id),
    open,
    write,
    writer,
    finish,
    pieces,
    head,
    size,
    keep(bytes: Uint8Array, name: string) {
      const { id } = open(name);
      write(id, 0, bytes);
      return finish(id);
    },
    join(ids: readonly string[], name: string) {
      const { id } = open(name);
      const { add, flush } = writer(id);
      for (const one of ids) for (const piece of pieces(one)) add(piece);
      flush();
      return finish(id);
    },
    sha256(id: string) {
      const hash = createHash('sha256');
      for (const piece of pieces(id)) hash.update(piece);
      return hash.digest('hex');
    },
    reset: () => void db.exec(`delete from ${table}`),
  });
}

/** Stores an upload; undefined if it is longer than `mostBytes`. */
export async function receiveFile(
  files: Pick<Files, 'open' | 'writer' | 'finish'>,
  chunks: AsyncIterable<Uint8Array>,
  { name, mostBytes }: Readonly<{ name: string; mostBytes: number }>,
): Promise<Blob | undefined> {
  const { id } = files.open(name);
  const writer = files.writer(id);
  for await (const chunk of chunks) {
    if (writer.at() + chunk.length > mostBytes) return undefined;
    writer.add(chunk);
  }
  writer.flush();
  return files.finish(id);
}
