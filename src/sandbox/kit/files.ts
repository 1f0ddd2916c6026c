import { createHash } from 'node:crypto';
import { fileTypeFromBuffer } from 'file-type';
import type { Clock } from '../../kernel/clock.ts';
import type { Store } from '../store.ts';
import type { Blob, Nodes } from '../facebook/docs.ts';
import { newId } from '../graph/ids.ts';

export type Files = Readonly<{
  /** Makes an empty file; bytes follow. */
  open(name: string): Blob;
  /** Writes from an offset on; whatever was there and after it is gone. */
  write(id: string, offset: number, bytes: Uint8Array): void;
  /** Settles type and size by what the bytes say. */
  finish(id: string): Promise<Blob>;
  keep(bytes: Uint8Array, name: string): Promise<Blob>;
  pieces(id: string): Iterable<Buffer>;
  head(id: string): Buffer;
  size(id: string): number;
  sha256(id: string): string;
  reset(): void;
}>;

const PIECE = 1024 * 1024;
/** Enough for a file to say what it is. */
const HEAD = 64 * 1024;

/** Bytes in pieces, so that an upload cut off in the middle keeps what had arrived. */
export function openFiles({ db, write: transact }: Store, nodes: Nodes, clock: Clock): Files {
  db.exec(`create table if not exists fb_piece (
    id text not null, at integer not null, bytes blob not null, primary key (id, at)
  ) strict`);
  const insert = db.prepare('insert into fb_piece (id, at, bytes) values (?, ?, ?)');
  const dropFrom = db.prepare('delete from fb_piece where id = ? and at >= ?');
  const cut = db.prepare(
    'update fb_piece set bytes = substr(bytes, 1, ? - at) where id = ? and at < ? and at + length(bytes) > ?',
  );
  const total = db.prepare('select coalesce(sum(length(bytes)), 0) as n from fb_piece where id = ?');
  const offsets = db.prepare('select at from fb_piece where id = ? order by at');
  const one = db.prepare('select bytes from fb_piece where id = ? and at = ?');

  function open(name: string): Blob {
    return nodes.put('blob', { id: newId(), at: clock.now(), mime: 'application/octet-stream', size: 0, name });
  }
  function write(id: string, offset: number, bytes: Uint8Array): void {
    transact(() => {
      cut.run(offset, id, offset, offset);
      dropFrom.run(id, offset);
      for (let at = 0; at < bytes.length; at += PIECE)
        insert.run(id, offset + at, Buffer.from(bytes.subarray(at, at + PIECE)));
    });
  }
  const size = (id: string) => (total.get(id) as { n: number }).n;
  /** One piece at a time; a statement that is still being read would stop every write. */
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
    const type = await fileTypeFromBuffer(head(id));
    return nodes.change('blob', id, { mime: type?.mime ?? 'application/octet-stream', size: size(id) });
  }

  return Object.freeze({
    open,
    write,
    finish,
    pieces,
    head,
    size,
    keep(bytes: Uint8Array, name: string) {
      const { id } = open(name);
      write(id, 0, bytes);
      return finish(id);
    },
    sha256(id: string) {
      const hash = createHash('sha256');
      for (const piece of pieces(id)) hash.update(piece);
      return hash.digest('hex');
    },
    reset: () => void db.exec('delete from fb_piece'),
  });
}
