import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { withoutCameraData } from '#engine/media/clean/clean.ts';
import { inspect } from '#engine/media/content/content.ts';
import type { Kept } from '#engine/media/storage/files.ts';
import {
  bareTiff,
  cameraJpeg,
  cameraMp4,
  cameraPng,
  cameraWebp,
  exifChunk,
  exifPart,
  exifSegment,
  jpegOf,
  PLACES,
  pngOf,
  webpOf,
} from '../../harness/camera-samples.ts';
import { gif, mp4, webp } from '../../harness/media-samples.ts';

const keptOf = (bytes: Buffer): Kept => ({
  size: bytes.length,
  read: async (from, length) => bytes.subarray(from, from + length),
  stream: (from, to) => Readable.from([bytes.subarray(from, to + 1)]),
});

async function cleaned(bytes: Buffer, type: string): Promise<Buffer> {
  const kept = await withoutCameraData(keptOf(bytes), type);
  const all = Buffer.from(await kept.read(0, kept.size));
  expect(all.length).toBe(kept.size);
  // Parts and streams of it are the same bytes.
  for (const [from, to] of [
    [0, kept.size - 1],
    [7, 40],
    [kept.size - 9, kept.size - 1],
  ] as const) {
    if (from < 0 || to >= kept.size) continue;
    expect((await buffer(kept.stream(from, to))).equals(all.subarray(from, to + 1))).toBe(true);
    expect(Buffer.from(await kept.read(from, to + 1 - from)).equals(all.subarray(from, to + 1))).toBe(true);
  }
  return all;
}

const JPEG = 'image/jpeg';
const PNG = 'image/png';
const WEBP = 'image/webp';
const MP4 = 'video/mp4';

describe('a file for a platform', () => {
  it.each([
    [JPEG, cameraJpeg(6), jpegOf([exifSegment(bareTiff(6))])],
    [JPEG, cameraJpeg(1), jpegOf([])],
    [PNG, cameraPng(8), pngOf([exifChunk(bareTiff(8))])],
    [PNG, cameraPng(1), pngOf([])],
    [WEBP, cameraWebp(3), webpOf(0x28, [exifPart(bareTiff(3))])],
    [WEBP, cameraWebp(1), webpOf(0x20, [])],
  ])('loses camera data and keeps how it is turned, and its colours: %s', async (type, bytes, expected) => {
    const clean = await cleaned(bytes, type);
    expect(clean.toString('hex')).toBe(expected.toString('hex'));
    expect(PLACES.filter((place) => clean.includes(place))).toEqual([]);
    expect((await cleaned(clean, type)).equals(clean)).toBe(true);
  });

  it.each([MP4, 'video/quicktime'])('loses the place of a film, and nothing in it moves: %s', async (type) => {
    const bytes = cameraMp4();
    expect(PLACES.filter((place) => !bytes.includes(place))).toEqual([]);
    const clean = await cleaned(bytes, type);
    expect(PLACES.filter((place) => clean.includes(place))).toEqual([]);
    expect(clean.length).toBe(bytes.length);
    expect(clean.indexOf('mdat')).toBe(bytes.indexOf('mdat'));
    const seen = { fields: { content_type: MP4, width: 640, height: 360, duration_ms: 2500 } };
    expect(await inspect(keptOf(clean))).toEqual(seen);
    const [from, to] = [clean.indexOf('mdat'), clean.indexOf('moov')];
    expect(clean.subarray(from, to).equals(bytes.subarray(from, to))).toBe(true);
  });

  it.each([
    [JPEG, Buffer.from('ffd8', 'hex')],
    [JPEG, Buffer.from('ffd8ffe1ffff', 'hex')],
    [JPEG, jpegOf([])],
    [PNG, Buffer.from('89504e470d0a1a0a00', 'hex')],
    [PNG, pngOf([])],
    [WEBP, webp],
    [WEBP, webpOf(0x20, [])],
    [MP4, mp4()],
    [MP4, Buffer.from('00000000')],
    ['image/gif', gif()],
  ])('stays as it is where there is nothing to lose: %s', async (type, bytes) => {
    const kept = keptOf(bytes);
    expect(await withoutCameraData(kept, type)).toBe(kept);
  });

  it.each([
    [JPEG, 'ffd8', 'fffe0002'],
    [PNG, '89504e470d0a1a0a', '0000000061616161deadbeef'],
    [WEBP, '52494646f8ff7f0057454250', '4558494600000000'],
    [MP4, '', '0000000866726565'],
  ])('is looked through in a few large reads, however small its parts are: %s', async (type, start, unit) => {
    const bytes = Buffer.alloc(8_388_608, Buffer.from(unit, 'hex'));
    bytes.set(Buffer.from(start, 'hex'));
    let reads = 0;
    const kept = keptOf(bytes);
    await withoutCameraData({ ...kept, read: (from, length) => ((reads += 1), kept.read(from, length)) }, type);
    expect(reads).toBeLessThan(40);
  });

  it.each([
    [PNG, '89504e470d0a1a0a', ['3b9aca0065584966']],
    [WEBP, '5249464608ca9a3b57454250', ['5650385800ca9a3b2c']],
    [WEBP, '5249464608ca9a3b57454250', ['4558494600ca9a3b']],
    [MP4, '', ['3b9aca0075756964be7acfcb97a942e89c71999491e3afac']],
    [MP4, '', ['3b9aca006d6f6f76', '3b9ac9f875647461']],
  ])('is read in small parts, however large one of its own claims to be: %s %s %s', async (type, start, parts) => {
    const size = 1_000_000_200;
    const [head, tail] = [Buffer.from(start + parts.join(''), 'hex'), exifPart(bareTiff(6))];
    let longest = 0;
    const read = async (from: number, length: number) => {
      longest = Math.max(longest, length);
      const part = Buffer.alloc(Math.min(length, size - from));
      for (const [at, bytes] of [[0, head] as const, [size - tail.length, tail] as const]) {
        if (at < from + part.length && at + bytes.length > from)
          bytes.copy(part, Math.max(at - from, 0), Math.max(from - at, 0));
      }
      return part;
    };
    await withoutCameraData({ ...keptOf(head), size, read }, type);
    expect(longest).toBeLessThanOrEqual(1_048_576);
  });
});
