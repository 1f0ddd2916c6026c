import { crc32, deflateSync } from 'node:zlib';
import { animation, bytesOf, scene } from './samples.ts';

/** A file that is not what it says, and the type that it says. */
export type Hostile = Readonly<{ what: string; type: string; bytes: Buffer<ArrayBuffer> }>;

const TYPES = ['jpeg', 'png', 'webp', 'gif', 'avif'] as const;
const HOW_MANY_KINDS = 5;

/** Numbers that are the same at each run. */
function makeRandom(seed: number) {
  let state = seed;
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

async function wholeOnes(): Promise<readonly Hostile[]> {
  const photo = scene(160, 120);
  const still = await Promise.all(
    TYPES.filter((type) => type !== 'gif').map(async (type) => ({
      what: type,
      type: `image/${type}`,
      bytes: await bytesOf(photo.clone().toFormat(type)),
    })),
  );
  const progressive = await bytesOf(photo.clone().jpeg({ progressive: true }));
  const moving = { what: 'gif', type: 'image/gif', bytes: await animation('gif', 60) };
  return [...still, { what: 'progressive', type: 'image/jpeg', bytes: progressive }, moving];
}

/** `count` hostile files: cut off, with changed bytes, with sizes that are not theirs, and bombs. */
export async function hostileFiles(count: number, seed = 7): Promise<readonly Hostile[]> {
  const random = makeRandom(seed);
  const whole = await wholeOnes();
  const made: Hostile[] = [];
  for (let n = 0; made.length < count; n += 1) {
    const one = whole[random(whole.length)]!;
    const kind = n % HOW_MANY_KINDS;
    // A few are as large as is taken, which takes seconds.
    const side = n % 100 === HOW_MANY_KINDS - 1 ? 9500 : 1500;
    if (kind === 0)
      made.push({ ...one, what: `cut ${one.what}`, bytes: one.bytes.subarray(0, 20 + random(one.bytes.length - 20)) });
    else if (kind === 1)
      made.push({ ...one, what: `changed ${one.what}`, bytes: changed(one.bytes, random, 1 + random(40)) });
    else if (kind === 2)
      made.push({
        ...one,
        what: `mixed ${one.what}`,
        bytes: mixed(one.bytes, whole[random(whole.length)]!.bytes, random),
      });
    else if (kind === 3)
      made.push({
        what: 'png of another size',
        type: 'image/png',
        bytes: lyingPng(1 + random(30_000), 1 + random(30_000)),
      });
    else made.push({ what: 'bomb', type: 'image/png', bytes: lyingPng(1 + random(side), 1 + random(side), true) });
  }
  return made;
}

function changed(bytes: Buffer<ArrayBuffer>, random: (below: number) => number, times: number): Buffer<ArrayBuffer> {
  const copy = Buffer.from(bytes);
  for (let n = 0; n < times; n += 1) copy[12 + random(copy.length - 12)] = random(256);
  return copy;
}

function mixed(one: Buffer, other: Buffer, random: (below: number) => number): Buffer<ArrayBuffer> {
  return Buffer.concat([one.subarray(0, random(one.length)), other.subarray(random(other.length))]);
}

function chunk(type: string, data: Uint8Array): Buffer<ArrayBuffer> {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.byteLength);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** A PNG that says it is of this size; only a bomb has as many pixels, all of one colour. */
function lyingPng(width: number, height: number, isBomb = false): Buffer<ArrayBuffer> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 0, 0, 0, isBomb ? 1 : 0], 8);
  const pixels = deflateSync(Buffer.alloc(isBomb ? (width + 1) * height : 64));
  const parts = [chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), ...parts]);
}
