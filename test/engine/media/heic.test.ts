import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { inspect } from '#engine/media/content/content.ts';
import type { PictureSpec } from '#kernel/pictures/picture.ts';
import { makeFolder } from '../../harness/folders.ts';
import { heic } from '../../harness/pictures/heic.ts';
import { sharedWorkshop } from '../../harness/pictures/workshop.ts';

const PACKAGE = 'node_modules/libheif-js';
const missing = existsSync(PACKAGE) ? '' : `, skipped: there is no ${PACKAGE}`;

const SPEC: PictureSpec = {
  title: 'X',
  types: ['image/jpeg'],
  max_bytes: 2_000_000,
  rules: {},
  shape: { fit: 'none' },
};

async function converted(bytes: Uint8Array) {
  const folder = makeFolder();
  const [from, to] = [join(folder, 'from'), join(folder, 'to')];
  await writeFile(from, bytes);
  const task = { kind: 'fit', from, type: 'image/heic', to, spec: SPEC, keepMetadata: false } as const;
  const result = await sharedWorkshop.run(task);
  if ('refused' in result) return result;
  const { data, info } = await sharp(to).raw().toBuffer({ resolveWithObject: true });
  const at = (x: number, y: number) => [...data.subarray((y * info.width + x) * 3, (y * info.width + x) * 3 + 3)];
  return { size: [info.width, info.height], at, metadata: await sharp(to).metadata() };
}

const seenOf = async (bytes: Buffer) =>
  inspect({ size: bytes.length, read: async (from, length) => bytes.subarray(from, from + length) });

function close(colour: readonly number[], ...expected: readonly number[]): void {
  for (const [index, value] of expected.entries()) expect(Math.abs(colour[index]! - value)).toBeLessThan(25);
}

describe.skipIf(missing !== '')(`HEIC${missing}`, () => {
  it('is upright, as its header says before', async () => {
    expect(await seenOf(heic('turned'))).toMatchObject({ fields: { width: 48, height: 64 } });
    const made = await converted(heic('turned'));
    if ('refused' in made) throw new Error(made.refused);
    expect([made.size, made.metadata.format]).toEqual([[48, 64], 'jpeg']);
    // The lower left corner has come up.
    close(made.at(2, 2), 8, 225, 40);
    close(made.at(45, 60), 245, 15, 200);
  });

  it('of several pictures is the primary one', async () => {
    const made = await converted(heic('burst'));
    if ('refused' in made) throw new Error(made.refused);
    close(made.at(60, 45), 240, 225, 200);
  });

  it('has the colours of a screen, and nothing private', async () => {
    const made = await converted(heic('phone'));
    if ('refused' in made) throw new Error(made.refused);
    const { exif, xmp, icc } = made.metadata;
    expect([exif, xmp, icc, made.size]).toEqual([undefined, undefined, undefined, [64, 48]]);
    close(made.at(60, 45), 240, 225, 200);
  });

  it.for([
    ['cut off', heic('phone').subarray(0, 900)],
    ['without its pixels', Buffer.concat([heic('turned').subarray(0, 470), Buffer.alloc(200)])],
  ] as const)('is refused in a sentence if it is %s', async ([, bytes]) => {
    expect(await converted(bytes)).toEqual({ refused: 'cannot be read: it is damaged or incomplete' });
  });
});
