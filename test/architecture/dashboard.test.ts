import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importsOf, ROOT, withoutComments } from './source.ts';

const read = (path: string) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') });
const scripts = globSync('dashboard/**/*.{ts,tsx}', { cwd: ROOT }).toSorted().map(read);
const styles = globSync('src/serve/web/kit/styles/**/*.css', { cwd: ROOT }).toSorted().map(read);

/** Packages that pages are made with; their types may come from others. */
const PACKAGES: ReadonlySet<string> = new Set(['preact', '@preact/signals', 'd3-scale']);
/** Modules of the kernel that run in a browser as they do here. */
const BROWSER_SAFE: ReadonlySet<string> = new Set(
  [
    ...['emoji', 'length', 'limits', 'links', 'pointers', 'table', 'tags', 'weighted'].map((name) => `text/${name}`),
    'effects/file-addresses',
    'limits/at-once',
    'limits/sizes',
    'people/abilities',
    'people/counted',
    'people/first-days',
    'people/known-post',
    'people/post-states',
    'people/preview',
    'people/sentences',
    'people/size',
  ].map((name) => `src/kernel/${name}.ts`),
);
/** What those may import besides each other: lists. */
const DATA: ReadonlySet<string> = new Set(['tlds']);

describe('the dashboard', () => {
  it('runs nothing but itself, its packages and modules that are made for browsers too', () => {
    const strays = scripts.flatMap(({ path, text }) =>
      importsOf(path, withoutComments(text))
        .filter(({ typeOnly }) => !typeOnly)
        .filter(({ target, isPackage }) =>
          isPackage ? !PACKAGES.has(target) : !target.startsWith('dashboard/') && !BROWSER_SAFE.has(target),
        )
        .map(({ target }) => `${path} → ${target}`),
    );
    expect(scripts.length).toBeGreaterThan(0);
    expect(strays).toEqual([]);
  });

  it('shares modules that import and name nothing which browsers lack', () => {
    const shared = [...BROWSER_SAFE].map(read);
    const strays = shared.flatMap(({ path, text }) =>
      importsOf(path, withoutComments(text))
        .filter(({ target, isPackage }) => !(isPackage ? DATA.has(target) : BROWSER_SAFE.has(target)))
        .map(({ target }) => `${path} → ${target}`),
    );
    expect(strays).toEqual([]);
    const node = /\b(?:Buffer|process|require|__dirname)\b|node:/;
    expect(shared.filter(({ text }) => node.test(withoutComments(text))).map(({ path }) => path)).toEqual([]);
  });

  it('draws by its components alone, and models draw nothing', () => {
    const raw = /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function/i;
    expect(scripts.filter(({ text }) => raw.test(text)).map(({ path }) => path)).toEqual([]);
    const models = scripts.filter(({ path }) => path.endsWith('/model.ts'));
    const touching = models.filter(({ text }) =>
      /\b(?:document|window|location|localStorage)\b\.?/.test(withoutComments(text)),
    );
    expect(models.length).toBeGreaterThan(0);
    expect(touching.map(({ path }) => path)).toEqual([]);
  });

  it('takes every colour from tokens.css', () => {
    const colour = /#[0-9a-f]{3,8}\b|\b(?:rgb|hsl|oklch|oklab|lab|lch)a?\(/i;
    const strays = [...styles, ...scripts.filter(({ path }) => path.endsWith('.tsx'))]
      .filter(({ path }) => !path.endsWith('/tokens.css'))
      .flatMap(({ path, text }) =>
        text.split('\n').flatMap((line, at) => (colour.test(line) ? [`${path}:${at + 1} ${line.trim()}`] : [])),
      );
    expect(strays).toEqual([]);
  });

  it('has files of at most 300 lines in folders of at most 20', () => {
    const files = [...scripts, ...styles];
    const long = files.filter(({ text }) => text.split('\n').length > 301).map(({ path }) => path);
    const folders = Map.groupBy(files, ({ path }) => path.slice(0, path.lastIndexOf('/')));
    const full = [...folders].filter(([, within]) => within.length > 20).map(([folder]) => folder);
    expect([...long, ...full]).toEqual([]);
  });
});
