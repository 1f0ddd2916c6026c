import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { makeBundle } from '#serve/web/live/bundle.ts';
import { ROOT } from '../architecture/source.ts';

const STYLES = join(ROOT, 'src/serve/web/kit/styles');
const KB = 1024;
const MOST_SCRIPT = 45 * KB;
const MOST_STYLE = 9 * KB;

it('each page loads scripts and styles within its budget', async () => {
  const { pages, files, sources } = await makeBundle(ROOT);
  const size = new Map(files.map(([name, code]) => [name, gzipSync(code).length]));
  const heavy = pages
    .map(
      ({ name, script, imports }) =>
        [name, [script, ...imports].reduce((sum, file) => sum + size.get(file)!, 0)] as const,
    )
    .filter(([, bytes]) => bytes > MOST_SCRIPT);
  expect(heavy).toEqual([]);
  expect(pages.length).toBeGreaterThan(0);
  expect(sources.map(([path]) => path)).toContain('dashboard/lib/shell.tsx');
  const styles = ['tokens.css', 'shared.css', ...globSync('app/*.css', { cwd: STYLES })].map((file) =>
    readFileSync(join(STYLES, file)),
  );
  expect(gzipSync(Buffer.concat(styles)).length).toBeLessThan(MOST_STYLE);
});
