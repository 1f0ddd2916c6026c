import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { generate } from '#serve/reference/index.ts';
import { platformEntries as platforms } from '#cli/generate.ts';
import { toolsets } from '#tools/index.ts';
import { ROOT } from './source.ts';

it('the reference in docs/reference is in step with the declarations', async () => {
  const stale = await generate({ toolsets, platforms, folder: join(ROOT, 'docs/reference'), check: true });
  expect(stale, 'run npm run generate').toEqual([]);
});

it('a reference out of step is named, and brought into step', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'reference-'));
  try {
    const made = await generate({ toolsets, platforms, folder, check: false });
    expect(made).toContain('openapi.json');
    expect(made).toContain('operations/brands.md');
    expect(await generate({ toolsets, platforms, folder, check: true })).toEqual([]);

    await writeFile(join(folder, 'errors.md'), 'edited by hand');
    await writeFile(join(folder, 'gone.md'), 'a page of yesterday');
    const expected = ['errors.md', 'gone.md'];
    expect(await generate({ toolsets, platforms, folder, check: true })).toEqual(expected);
    expect(await readFile(join(folder, 'errors.md'), 'utf8')).toBe('edited by hand');
    expect(await generate({ toolsets, platforms, folder, check: false })).toEqual(expected);
    expect(await generate({ toolsets, platforms, folder, check: true })).toEqual([]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
