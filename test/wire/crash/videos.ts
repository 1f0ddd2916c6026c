import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { mp4 } from '../../harness/media-samples.ts';
import { listen } from '../../harness/sockets.ts';

export const MB = 1_000_000;
const HEAD = mp4({ ms: 5000, tracks: [{ handler: 'vide', width: 720, height: 1280 }] });
const PIECE = 65_536;

/** The bytes of a video of some size, piece by piece; no two places of it look alike. */
function* videoOf(size: number): Generator<Buffer> {
  yield HEAD;
  const box = Buffer.alloc(8);
  box.writeUInt32BE(size - HEAD.byteLength);
  box.write('mdat', 4, 'latin1');
  yield box;
  for (let left = size - HEAD.byteLength - 8, n = 0; left > 0; left -= PIECE, n += 1) {
    const piece = Buffer.alloc(Math.min(PIECE, left), n % 251);
    if (piece.byteLength >= 4) piece.writeUInt32BE(n);
    yield piece;
  }
}

/** The digest of a video of some size. */
export function hashOf(size: number): string {
  const hash = createHash('sha256');
  for (const piece of videoOf(size)) hash.update(piece);
  return hash.digest('hex');
}

/** A host of videos of any size: `/<size>.mp4`. */
export async function openHost() {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const size = Number(/^\/(\d+)\./.exec(request.url!)![1]);
    asked.push(request.url!);
    response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': size });
    pipeline(Readable.from(videoOf(size)), response, () => {});
  });
  const port = await listen(server);
  return {
    urlOf: (size: number) => `http://127.0.0.1:${port}/${size}.mp4`,
    timesAsked: (size: number) => asked.filter((url) => url === `/${size}.mp4`).length,
    close: () => void server.close(),
  };
}

/** Resident memory of a process in megabytes. */
export const residentMb = (pid: number) =>
  Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024;
