import sharp, { type Sharp } from 'sharp';
import { heic } from './heic.ts';
import { scene } from './samples.ts';

/** Numbers from 0 to 1, the same for the same seed. */
export function makeRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b_79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export type RandomPicture = Readonly<{ what: string; type: string; bytes: Buffer }>;

const LONGEST = 12_000;
/** One picture of these is a giant, and one is of the size of a photo. */
const [GIANT_EACH, PHOTO_EACH] = [60, 50];
/** What encodes slowly stays small. */
const MOST_AVIF = 200;

/** Picture number `nth`: most are small, so that hundreds take a minute; `least` is the shortest side of an ordinary one. */
export async function randomPicture(
  random: () => number,
  nth: number,
  { hasHeic, least = 1 }: Readonly<{ hasHeic: boolean; least?: number }>,
): Promise<RandomPicture> {
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)]!;
  const kinds = ['jpeg', 'jpeg', 'cmyk', 'png', 'png16', 'alpha', 'webp', 'gif', 'moving', 'avif'];
  const kind = hasHeic && random() < 0.05 ? 'heic' : pick(kinds);
  if (kind === 'heic') return { what: 'HEIC', type: 'image/heic', bytes: heic(pick(['turned', 'phone', 'burst'])) };
  const side = (most: number) => Math.max(1, Math.round(most ** random()));
  let [width, height] = [least - 1 + side(240), least - 1 + side(240)];
  if (nth % GIANT_EACH === 0) [width, height] = [LONGEST, side(60)];
  else if (nth % PHOTO_EACH === 0) [width, height] = [1300, 1000];
  if (kind === 'avif' || kind === 'moving')
    [width, height] = [width, height].map((one) => Math.min(one, Math.max(MOST_AVIF, least))) as [number, number];
  if (random() < 0.5) [width, height] = [height, width];
  const orientation = 1 + Math.floor(random() * 8);
  const image = scene(width, height, { seed: nth + 1, noise: pick([0, 10, 40]) });
  const turns = ['jpeg', 'cmyk', 'png', 'webp'].includes(kind);
  const what = `${kind}, ${width} x ${height}, orientation ${turns ? orientation : 1}`;
  const drawn = turns ? image.withMetadata({ orientation }) : image;
  const { type, made } = await encoded(drawn, kind, { width, height });
  return { what, type, bytes: await made.toBuffer() };
}

async function encoded(image: Sharp, kind: string, size: Readonly<{ width: number; height: number }>) {
  switch (kind) {
    case 'cmyk':
      return { type: 'image/jpeg', made: image.toColourspace('cmyk').jpeg({ quality: 92 }) };
    case 'png':
      return { type: 'image/png', made: image.png({ compressionLevel: 3 }) };
    case 'png16':
      return { type: 'image/png', made: image.toColourspace('rgb16').png({ compressionLevel: 3 }) };
    case 'alpha':
      return { type: 'image/png', made: image.ensureAlpha(0.5).png({ compressionLevel: 3 }) };
    case 'webp':
      return { type: 'image/webp', made: image.webp({ quality: 90, effort: 0 }) };
    case 'gif':
      return { type: 'image/gif', made: image.gif({ effort: 1 }) };
    case 'moving': {
      const frame = (background: string) =>
        sharp({ create: { ...size, channels: 3, background } })
          .png()
          .toBuffer();
      const frames = await Promise.all([frame('#ff0000'), frame('#0000ff')]);
      return { type: 'image/gif', made: sharp(frames, { join: { animated: true } }).gif({ delay: [100, 100] }) };
    }
    case 'avif':
      return { type: 'image/avif', made: image.avif({ effort: 0, quality: 80 }) };
    default:
      return { type: 'image/jpeg', made: image.jpeg({ quality: 95 }) };
  }
}
