import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './source.ts';

/** The walks of docs/architecture.md: a heading, and the file of each numbered step. */
const walks = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8')
  .split(/^## /m)
  .slice(1)
  .map((section) => ({
    title: section.slice(0, section.indexOf('\n')),
    files: [...section.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, file]) => file!),
  }));

describe('docs/architecture.md', () => {
  it('walks four paths', () => expect(walks.map(({ files }) => files.length >= 10)).toEqual([true, true, true, true]));

  it.each(walks)('walks $title through files that exist, none of them twice', ({ files }) => {
    const gone = files.filter((file) => !existsSync(join(ROOT, file)));
    expect(gone.map((file) => `${file} moved: name its new place in docs/architecture.md`)).toEqual([]);
    const twice = files.filter((file, at) => files.indexOf(file) !== at);
    expect(twice.map((file) => `${file} stands twice in a walk: keep the step where it is entered first`)).toEqual([]);
  });
});

it('docs/adding-a-platform.md names files and folders that exist', () => {
  const text = readFileSync(join(ROOT, 'docs/adding-a-platform.md'), 'utf8');
  const named = [...text.matchAll(/`((?:src|test|docs)\/[^`<]*)`/g)].map(([, path]) => path!);
  expect(named.length).toBeGreaterThan(20);
  const gone = named.filter((path) => !existsSync(join(ROOT, path)));
  expect(gone.map((path) => `${path} moved: name its new place in docs/adding-a-platform.md`)).toEqual([]);
});
