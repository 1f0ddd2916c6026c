import { existsSync } from 'node:fs';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import type { Platform } from '#platforms/platform.ts';
import { makeRandom, randomPicture } from '../../harness/pictures/random.ts';
import type { Json } from '../../harness/world.ts';
import { SUBJECTS } from '../../platforms/conformance/subjects.ts';
import { openArrivals } from './all-twins.ts';
import { expectSameLook, faultsOf, sidesOf, smallOf } from './seen.ts';

/** COUNT=300 takes three times as long. */
const COUNT = Number(process.env['COUNT'] ?? 100);
const EACH = 3;
const SEED = Number(process.env['SEED'] ?? 1);
const MS_EACH = 9000;
const HAS_HEIC = existsSync('node_modules/libheif-js');
/** Between two posts, so that no platform's quota of a day is used up. */
const PAUSE_MS = 20 * 60_000;
const MOST_LOOKS = 60;

const SHAPES = [{}, { fit: 'pad', background: '#ffffff' }, { fit: 'crop', focus: { x: 0.5, y: 0.5 } }] as const;

/** One account of each platform that takes pictures in posts. */
const subjects = [...new Map(SUBJECTS.map((subject) => [subject.platform.slug, subject])).values()].filter(
  ({ platform }) => (platform.posts?.rules.media.supported_image_types.length ?? 0) > 0,
);

function specOf({ posts }: Platform) {
  const { supported_image_types: types, max_image_size_bytes: max_bytes, pictures: rules = {} } = posts!.rules.media;
  return { types, max_bytes, rules };
}

type Arrivals = Awaited<ReturnType<typeof openArrivals>>;
type Target = Arrivals['accounts'][number]['target'];
type Outcome = 'as it is' | 'converted' | 'refused';

/** Publishes to some accounts, leaving out those whose platform refuses the picture; why each of them does. */
async function publish({ world, rest }: Arrivals, input: Json, targets: readonly Target[]) {
  const { body: found } = await rest('POST /v1/posts/validate', { ...input, targets });
  const refused = new Map<string, string>();
  for (const { target, field, message } of found.errors as readonly Json[]) {
    expect([field, message]).toEqual([expect.stringMatching(/^media/), message]);
    refused.set(target, message);
  }
  const taken = targets.filter(({ account_id }) => !refused.has(account_id));
  if (taken.length === 0) return { refused, said: [], targets: [] };
  let post = (await rest('POST /v1/posts', { ...input, targets: taken, publish_now: true })).body;
  expect([input.text, post.error]).toEqual([input.text, undefined]);
  for (let looks = 0; post.status === 'publishing' && looks < MOST_LOOKS; looks += 1) {
    await world.pass(60_000);
    post = (await rest(`GET /v1/posts/${post.id}`)).body;
  }
  return { refused, said: found.warnings as readonly Json[], targets: post.targets as readonly Json[] };
}

it(
  `${COUNT} random pictures arrive at the twins as their platforms take them, or are refused with the reason (SEED=${SEED})`,
  { timeout: COUNT * MS_EACH },
  async () => {
    const arrivals = await openArrivals(subjects);
    const { world, accounts, upload, read } = arrivals;
    const random = makeRandom(SEED);
    const counts: Record<Outcome, number> = { 'as it is': 0, converted: 0, refused: 0 };
    const arrivedAt = new Map<string, number>();
    for (const { platform } of subjects) read(platform.slug);

    for (let nth = 0; nth < COUNT; nth += 1) {
      const shape = SHAPES[Math.floor(random() * SHAPES.length)]!;
      const chosen = Array.from({ length: EACH }, (_, one) => accounts[(nth * EACH + one) % accounts.length]!);
      // Google takes none that is smaller.
      const least = nth % 2 === 0 && chosen.some(({ platform: { slug } }) => slug === 'google') ? 250 : 1;
      const { what, bytes, type } = await randomPicture(random, nth, { hasHeic: HAS_HEIC, least });
      const source = await upload('picture', type, Buffer.from(bytes));
      const media = [{ source, source_type: 'media_id', type: 'image', ...shape }];
      const text = `Picture ${nth}`;
      const { refused, said, targets } = await publish(
        arrivals,
        { title: text, text, media },
        chosen.map(({ target }) => target),
      );
      // HEIC has no other reader here.
      const original =
        type === 'image/heic'
          ? undefined
          : { ...(await sharp(bytes).metadata()).autoOrient, small: await smallOf(bytes) };

      for (const {
        platform,
        target: { account_id },
      } of chosen) {
        const about = [what, platform.slug, shape];
        const file = read(platform.slug);
        const reason = refused.get(account_id);
        if (reason !== undefined) {
          counts.refused += 1;
          expect([...about, file, reason]).toEqual([...about, undefined, expect.stringMatching(/^[a-z].{10,}$/i)]);
          continue;
        }
        const target = targets.find((one) => one.account_id === account_id)!;
        expect([...about, target.status, target.error ?? null]).toEqual([...about, 'published', null]);
        if (file === undefined) throw new Error(`${what} did not arrive at ${platform.slug}`);
        const seen = await sharp(file).metadata();
        expect([...about, faultsOf(seen, file.length, specOf(platform))]).toEqual([...about, []]);
        arrivedAt.set(platform.slug, (arrivedAt.get(platform.slug) ?? 0) + 1);
        const size = sidesOf(seen);

        // Said before, and after.
        const [made] = target.converted_media ?? [];
        counts[made === undefined ? 'as it is' : 'converted'] += 1;
        const warning = said.find((one) => one.target === account_id && /will be converted/.test(one.message));
        if (made === undefined) expect([...about, warning]).toEqual([...about, undefined]);
        else {
          expect([...about, made]).toMatchObject([
            ...about,
            { source, size_bytes: file.length, content_type: `image/${seen.format}`, ...size },
          ]);
          expect([...about, warning?.message]).toEqual([
            ...about,
            expect.stringContaining(`${size.width} × ${size.height}`),
          ]);
        }

        if (original !== undefined) await expectSameLook(about, original, file);
      }
      world.clock.move(PAUSE_MS);
    }
    process.stdout.write(`${JSON.stringify({ seed: SEED, ...counts, ...Object.fromEntries(arrivedAt) })}\n`);
    expect([...arrivedAt.keys()].toSorted()).toEqual(subjects.map(({ platform }) => platform.slug).toSorted());
    expect(Object.values(counts).every((count) => count > COUNT / 20)).toBe(true);
  },
);
