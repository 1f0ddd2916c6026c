import { existsSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, expect, it } from 'vitest';
import { withoutCameraData } from '#engine/media/clean/clean.ts';
import { inspect } from '#engine/media/content/content.ts';
import { makeWorkshop } from '#engine/media/pictures/workshop.ts';
import { keptAt } from '#engine/media/storage/local-files.ts';
import { fitsAlready, misfitOf, type Picture, type PictureSpec } from '#kernel/pictures/picture.ts';
import { platforms } from '#platforms/index.ts';
import { makeFolder } from '../../harness/folders.ts';
import { makeRandom, randomPicture, type RandomPicture } from '../../harness/pictures/random.ts';
import { expectSameLook, faultsOf, smallOf } from './seen.ts';

/** Each run of CI tries others. */
const COUNT = process.env['CI'] === undefined ? 300 : 120;
const SEED = Number(process.env['SEED'] ?? Math.floor(Math.random() * 1e9));
const HAS_HEIC = existsSync('node_modules/libheif-js');

const workshop = makeWorkshop({ warn: () => {} });
afterAll(() => workshop.close());

const SHAPES = [
  { fit: 'none' },
  { fit: 'pad', background: '#ffffff' },
  { fit: 'crop', focus: { x: 0.5, y: 0.5 } },
] as const;

/** What pictures must be on each platform that takes them; equal rules are tried once. */
const SPECS = [...platforms.values()].flatMap(({ title, posts }) => {
  const media = posts?.rules.media;
  if (media === undefined || media.supported_image_types.length === 0) return [];
  const { supported_image_types: types, max_image_size_bytes: max_bytes, pictures: rules = {} } = media;
  return [{ title, types, max_bytes, rules }];
});

type Outcome = 'as it is' | 'converted' | 'refused';

it(
  `${COUNT} random pictures fit every platform, or are refused with the reason (SEED=${SEED})`,
  { timeout: 900_000 },
  async () => {
    const folder = makeFolder();
    const random = makeRandom(SEED);
    const counts: Record<Outcome, number> = { 'as it is': 0, converted: 0, refused: 0 };
    let made = 0;

    async function publish(path: string, picture: Picture, spec: PictureSpec): Promise<Buffer | string> {
      if (fitsAlready(picture, spec)) {
        // Its connector refuses what has too few bytes.
        if (picture.size_bytes! < (spec.rules.min_size_bytes ?? 0)) return 'is too small for the platform';
        const clean = await withoutCameraData((await keptAt(path))!, picture.content_type);
        return Buffer.from(await clean.read(0, clean.size));
      }
      const why = misfitOf(picture, spec);
      if (why !== undefined) return why;
      const to = join(folder, `made-${(made += 1)}`);
      const task = { kind: 'fit', from: path, type: picture.content_type, to, spec, keepMetadata: false } as const;
      const result = await workshop.run(task);
      return 'refused' in result ? result.refused : readFile(to);
    }

    async function tryOne({ what, bytes, type }: RandomPicture, nth: number): Promise<void> {
      const path = join(folder, `${nth}`);
      writeFileSync(path, bytes);
      const seen = await inspect((await keptAt(path))!);
      if ('refused' in seen) throw new Error(`${what}: ${seen.refused}`);
      const { content_type, width, height, traits } = seen.fields;
      const picture = { content_type, width: width!, height: height!, size_bytes: bytes.length, ...traits };
      // HEIC has no other reader here.
      const original =
        type === 'image/heic' ? undefined : { width: width!, height: height!, small: await smallOf(bytes) };
      const known = new Map<string, Buffer | string>();
      for (const rules of SPECS) {
        const spec: PictureSpec = { ...rules, shape: SHAPES[Math.floor(random() * SHAPES.length)]! };
        const key = JSON.stringify({ ...spec, title: '' });
        const published = known.get(key) ?? (await publish(path, picture, spec));
        known.set(key, published);
        const about = [what, spec.title, spec.shape.fit];
        if (typeof published === 'string') {
          counts.refused += 1;
          expect([...about, published]).toEqual([...about, expect.stringMatching(/^[a-z].{10,}$/)]);
          continue;
        }
        counts[published.length === bytes.length ? 'as it is' : 'converted'] += 1;
        const arrived = await sharp(published).metadata();
        expect([...about, faultsOf(arrived, published.length, spec)]).toEqual([...about, []]);
        if (original !== undefined) await expectSameLook(about, original, published);
      }
    }

    for (let nth = 0; nth < COUNT; nth += 1) await tryOne(await randomPicture(random, nth, { hasHeic: HAS_HEIC }), nth);
    process.stdout.write(`${JSON.stringify({ seed: SEED, ...counts })}\n`);
    expect(Object.values(counts).every((count) => count > COUNT / 3)).toBe(true);
  },
);
