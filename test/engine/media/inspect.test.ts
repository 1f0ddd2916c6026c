import { describe, expect, it } from 'vitest';
import { inspect } from '#engine/media/content/content.ts';
import { turned as turnedTiff } from '#engine/media/clean/orientation.ts';
import { exifSegment, jpegOf } from '../../harness/camera-samples.ts';
import { jpeg, png } from '../../harness/media-samples.ts';
import { bytesOf, scene } from '../../harness/pictures/samples.ts';

/** Bytes in memory that count how they are looked at. */
function counted(data: Uint8Array) {
  const seen = { reads: 0, longest: 0 };
  const read = async (from: number, length: number) => {
    seen.reads += 1;
    seen.longest = Math.max(seen.longest, Math.min(length, data.byteLength - from));
    return data.subarray(from, from + length);
  };
  return { seen, bytes: { size: data.byteLength, read } };
}

const SIZE = 8_388_608;

function filled(start: string, unit: string): Uint8Array {
  const data = Buffer.alloc(SIZE, Buffer.from(unit, 'hex'));
  data.set(Buffer.from(start, 'hex'));
  return data;
}

/** An ISO box; `size` may lie about what follows. */
function box(type: string, body: Uint8Array, size = body.byteLength + 8): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(size);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, body]);
}

function extent(width: number, height: number): Buffer {
  const body = Buffer.alloc(12);
  body.writeUInt32BE(width, 4);
  body.writeUInt32BE(height, 8);
  return box('ispe', body);
}

function picture(brand: string, ...extents: readonly Buffer[]): Buffer {
  const properties = box('iprp', box('ipco', Buffer.concat(extents)));
  return Buffer.concat([
    box('ftyp', Buffer.from(`${brand}\0\0\0\0mif1${brand}`, 'latin1')),
    box('meta', Buffer.concat([Buffer.alloc(4), box('hdlr', Buffer.alloc(24)), properties])),
    box('mdat', Buffer.alloc(64)),
  ]);
}

describe('looking into files', () => {
  it.each([
    ['JPEG segments', 'ffd8', 'ffe00002'],
    ['JPEG fill bytes', 'ffd8', 'ff'],
    ['JPEG comments', 'ffd8', 'fffe0003aa'],
    ['PNG chunks', '89504e470d0a1a0a', '0000000061616161deadbeef'],
    ['WebM elements', '1a45dfa301ffffffffffffff', 'ec80'],
  ])('reads little of a file that is nothing but %s', async (_, start, unit) => {
    const { seen, bytes } = counted(filled(start, unit));
    await inspect(bytes);
    expect(seen.reads).toBeLessThanOrEqual(1100);
    expect(seen.longest).toBeLessThanOrEqual(65_536);
  });

  it('reads little of a picture with hundreds of thousands of sizes', async () => {
    const { seen, bytes } = counted(picture('avif', ...Array.from({ length: 300_000 }, () => extent(4, 3))));
    await inspect(bytes);
    expect(seen.reads).toBeLessThanOrEqual(21_000);
    expect(seen.longest).toBeLessThanOrEqual(65_536);
  });

  it.each(['avif', 'heic'])('knows the largest picture of a file of brand %s', async (brand) => {
    const { bytes } = counted(picture(brand, extent(512, 512), extent(4032, 3024), extent(320, 240)));
    expect(await inspect(bytes)).toEqual({ fields: { content_type: `image/${brand}`, width: 4032, height: 3024 } });
  });

  it('finds the size of a JPEG behind megabytes of profiles, turned as its Exif says', async () => {
    const profile = Buffer.concat([Buffer.from('ffe2ffff', 'hex'), Buffer.alloc(65_533)]);
    const plain = jpeg(40, 30, 6);
    const data = Buffer.concat([plain.subarray(0, 2), ...Array.from({ length: 60 }, () => profile), plain.subarray(2)]);
    expect(await inspect(counted(data).bytes)).toEqual({
      fields: { content_type: 'image/jpeg', width: 30, height: 40, traits: { turned: true } },
    });
  });

  it('takes the sound behind an ID3 tag for what it is, and nothing else there', async () => {
    const tag = (length: number) => {
      const bytes = Buffer.alloc(10 + length);
      bytes.write('ID3\x04', 'latin1');
      for (let i = 0; i < 4; i += 1) bytes[9 - i] = (length >> (7 * i)) & 127;
      return bytes;
    };
    const frames = Buffer.alloc(4000, Buffer.from('fffb9064', 'hex'));
    const sound = Buffer.concat([tag(3_000_000), frames]);
    expect(await inspect(counted(sound).bytes)).toEqual({ fields: { content_type: 'audio/mpeg' } });
    expect(await inspect(counted(Buffer.concat([tag(500), png()])).bytes)).toHaveProperty('refused');
  });

  it('takes of two EXIF segments the first, as decoders do', async () => {
    const of = (...turns: readonly number[]) => jpegOf(turns.map((turn) => exifSegment(turnedTiff(turn))));
    const traitsOf = async (bytes: Buffer) => {
      const seen = await inspect(counted(bytes).bytes);
      return 'fields' in seen && (seen.fields.traits?.turned ?? false);
    };
    expect(await Promise.all([of(1, 6), of(6, 1), of(3)].map(traitsOf))).toEqual([false, true, true]);
  });

  it('refuses a PNG that ends before its header does', async () => {
    for (const length of [9, 16, 24]) {
      const seen = await inspect(counted(png().subarray(0, length)).bytes);
      expect('refused' in seen || seen.fields.content_type).toBeTruthy();
    }
  });

  it('knows an animated PNG', async () => {
    const whole = png();
    const control = Buffer.from('000000086163544c0000000200000000f38d9370', 'hex');
    const animated = Buffer.concat([whole.subarray(0, 33), control, whole.subarray(33)]);
    expect(await inspect(counted(animated).bytes)).toMatchObject({ fields: { traits: { animated: true } } });
  });

  const isCutOff = async (bytes: Buffer) => {
    const seen = await inspect(counted(bytes).bytes);
    return 'fields' in seen && (seen.fields.traits?.incomplete ?? false);
  };
  const TYPES = ['jpeg', 'png', 'webp', 'gif'] as const;

  it.each(TYPES)('knows a %s that is cut off', async (type) => {
    const whole = await bytesOf(scene(60, 40).toFormat(type));
    const cuts = [30, Math.floor(whole.length / 3)].map((bytes) => whole.subarray(0, whole.length - bytes));
    expect(await Promise.all([whole, ...cuts].map(isCutOff))).toEqual([false, true, true]);
  });

  it.each(TYPES)('takes a %s for whole, whatever stands behind its end', async (type) => {
    const whole = await bytesOf(scene(60, 40).toFormat(type));
    const tails = [Buffer.alloc(1), Buffer.from('\r\n'), Buffer.alloc(500, 'camera'), Buffer.alloc(3_000_000, 'film')];
    const found = await Promise.all(tails.map((tail) => isCutOff(Buffer.concat([whole, tail]))));
    expect(found).toEqual(tails.map(() => false));
  });

  it('takes a JPEG for cut off that has an end only in its thumbnail', async () => {
    const plain = await bytesOf(scene(60, 40).toFormat('jpeg'));
    const thumbnail = Buffer.concat([Buffer.from('ffe20006', 'hex'), Buffer.from('ffd8ffd9', 'hex')]);
    const whole = Buffer.concat([plain.subarray(0, 2), thumbnail, plain.subarray(2)]);
    expect([await isCutOff(whole), await isCutOff(whole.subarray(0, -30))]).toEqual([false, true]);
  });

  it('finds the end of a JPEG where two looks at it meet', async () => {
    const plain = await bytesOf(scene(60, 40).toFormat('jpeg'));
    const scan = plain.indexOf(Buffer.from('ffda', 'hex'));
    const film = Buffer.alloc(1_000_000);
    const fill = (length: number) =>
      Buffer.concat([plain.subarray(0, -2), Buffer.alloc(length), plain.subarray(-2), film]);
    const ends = [-2, -1, 0].map((off) => 262_144 + off - (plain.length - 2 - scan));
    expect(await Promise.all(ends.map((length) => isCutOff(fill(length))))).toEqual([false, false, false]);
  });
});
