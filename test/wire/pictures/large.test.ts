import { join } from 'node:path';
import sharp from 'sharp';
import { expect, it, onTestFinished } from 'vitest';
import { makeWorkshop } from '#engine/media/pictures/workshop.ts';
import { makeFolder } from '../../harness/folders.ts';
import { peakMb } from '../../harness/pictures/peak.ts';

const MOST_MB = 340;
const SPEC = { title: 'X', types: ['image/jpeg'], max_bytes: 1_000_000, rules: {}, shape: { fit: 'none' } } as const;

it(`a turned photo of 48 megapixels is converted in at most ${MOST_MB} MB, beside a server in 512 MB`, async () => {
  const folder = makeFolder();
  const [from, to] = [join(folder, 'photo.jpg'), join(folder, 'made.jpg')];
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const;
  await sharp({ create: { width: 2000, height: 1500, channels: 3, background: '#456', noise } })
    .resize(8000, 6000)
    .withMetadata({ orientation: 6 })
    .jpeg({ quality: 92 })
    .toFile(from);
  const ended: unknown[] = [];
  const workshop = makeWorkshop({ warn: (about: object) => void ended.push(about) });
  onTestFinished(() => workshop.close());
  let peak = 0;
  const watching = setInterval(() => (peak = Math.max(peak, peakMb() ?? 0)), 20);
  onTestFinished(() => clearInterval(watching));
  const result = await workshop.run({ kind: 'fit', from, type: 'image/jpeg', to, spec: SPEC, keepMetadata: false });
  expect([result, ended]).toMatchObject([{ made: { content_type: 'image/jpeg' } }, []]);
  expect(peak).toBeGreaterThan(100);
  expect(peak).toBeLessThan(MOST_MB);
});
