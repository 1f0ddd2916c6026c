import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { makeWorkshop } from '#engine/media/pictures/workshop.ts';
import type { PictureSpec } from '#kernel/pictures/picture.ts';
import { hostileFiles } from '../../harness/pictures/hostile.ts';
import { peakMb } from '../../harness/pictures/peak.ts';

const COUNT = 500;
const MOST_MB = 200;
const folder = mkdtempSync(join(tmpdir(), 'rostra-hostile-'));
const ended: unknown[] = [];
const workshop = makeWorkshop({ warn: (about: object) => void ended.push(about) });
afterAll(() => {
  workshop.close();
  rmSync(folder, { recursive: true });
});

const SPEC: PictureSpec = {
  title: 'X',
  types: ['image/jpeg'],
  max_bytes: 2_000_000,
  rules: {},
  shape: { fit: 'none' },
};

it(
  `${COUNT} hostile files end in a picture or a sentence, in no crash, and in at most ${MOST_MB} MB`,
  { timeout: 900_000 },
  async () => {
    const results = { made: 0, refused: 0 };
    let peak = 0;
    for (const [at, { what, type, bytes }] of (await hostileFiles(COUNT)).entries()) {
      const [from, to] = [join(folder, `${at}`), join(folder, `${at}.out`)];
      writeFileSync(from, bytes);
      const result = await workshop.run({ kind: 'fit', from, type, to, spec: SPEC, keepMetadata: false });
      if ('made' in result) results.made += 1;
      else {
        results.refused += 1;
        expect([what, result.refused]).toEqual([what, expect.stringMatching(/^[a-z].{10,}$/)]);
      }
      peak = Math.max(peak, peakMb() ?? 0);
      rmSync(from);
    }
    expect(ended).toEqual([]);
    expect(results.refused).toBeGreaterThan(COUNT / 4);
    expect(results.made + results.refused).toBe(COUNT);
    expect(peak).toBeGreaterThan(20);
    expect(peak).toBeLessThan(MOST_MB);
  },
);
