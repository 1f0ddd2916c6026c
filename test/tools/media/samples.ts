import { expect } from 'vitest';
import type { World } from '../../harness/world.ts';
import { png } from '../../harness/media-samples.ts';

/** Uploads a picture in one step; `filler` makes it differ from others, or bigger. */
export async function uploaded(world: World, filename = 'a.png', filler = 0): Promise<string> {
  return upload(world, png(3, 2, filler), filename);
}

/** Uploads a file in one step; answers its id. */
export async function upload(world: World, bytes: Uint8Array<ArrayBuffer>, filename: string): Promise<string> {
  const form = new FormData();
  form.set('file', new Blob([bytes]), filename);
  const { status, body } = await world.rest('POST /v1/media/upload', form);
  expect(status).toBe(201);
  return body.media_id as string;
}

/** PUTs bytes to an upload address, which needs no token. */
export async function put(url: string, bytes: Uint8Array<ArrayBuffer>): Promise<number> {
  return (await fetch(url, { method: 'PUT', body: bytes })).status;
}
