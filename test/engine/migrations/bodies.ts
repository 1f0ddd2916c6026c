import type { ServerResponse } from 'node:http';
import { expect } from 'vitest';
import { send, type startedWorld } from './world.ts';

type Started = Awaited<ReturnType<typeof startedWorld>>;

/** Writes spaces for as long as somebody reads them. */
export function pour(res: ServerResponse, onWrite: (bytes: number) => void = () => {}): void {
  const chunk = Buffer.alloc(65_536, ' ');
  const more = () => {
    do onWrite(chunk.length);
    while (!res.destroyed && res.write(chunk));
  };
  res.on('drain', more);
  more();
}

/** An answer without an end is passed on up to the largest one, and ends there as if it were lost. */
export async function endlessAnswer({ world, plays }: Started, most: number): Promise<void> {
  plays.instead = (_req, res) => pour(res);
  let size = 0;
  const endless = async () => {
    for await (const chunk of (await send(world, '/v1/posts')).body!) size += chunk.length;
  };
  await expect(endless()).rejects.toThrow();
  expect(size).toBeGreaterThan(most / 2);
  expect(size).toBeLessThanOrEqual(most);
}

/** A request that is larger than the largest one is passed on up to it, and refused. */
export async function endlessRequest({ world, plays }: Started, most: number): Promise<void> {
  let got = 0;
  plays.instead = (req) => void req.on('data', (chunk: Buffer) => (got += chunk.length));
  const piece = new Uint8Array(most / 64);
  let sent = 0;
  const body = new ReadableStream({
    pull(controller) {
      sent += 1;
      if (sent > 66) controller.close();
      else controller.enqueue(piece);
    },
  });
  const { status } = await send(world, '/v1/posts', { method: 'POST', body, duplex: 'half' });
  expect(status).toBe(413);
  expect(got).toBeGreaterThan(0);
  expect(got).toBeLessThanOrEqual(most);
}
