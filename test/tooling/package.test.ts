import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

type Locked = { version: string; optionalDependencies?: Record<string, string>; resolved?: string };

const read = (file: string) => JSON.parse(readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8'));
const manifest = read('package.json');
const locked = read('package-lock.json').packages as Record<string, Locked>;

it('locks the packages of every machine, not only of the one that wrote the lock', () => {
  const missing = Object.entries(locked).flatMap(([path, { optionalDependencies }]) =>
    Object.keys(optionalDependencies ?? {}).filter(
      (name) => !(`${path}/node_modules/${name}` in locked) && !(`node_modules/${name}` in locked),
    ),
  );
  expect(missing).toEqual([]);
});

it('agrees with its lock and pins every development tool to one version', () => {
  expect(locked['']).toMatchObject({ dependencies: manifest.dependencies, devDependencies: manifest.devDependencies });
  const ranges = Object.entries(manifest.devDependencies).filter(
    ([, version]) => !/^\d[\w.-]*$/.test(version as string),
  );
  expect(ranges).toEqual([]);
});

it('names no host in the lock, so that any mirror can serve it', () => {
  const pinned = Object.values(locked).flatMap(({ resolved }) =>
    resolved === undefined || resolved.startsWith('https://registry.npmjs.org/') ? [] : [resolved],
  );
  expect(pinned).toEqual([]);
});

it('ships the compiled program, its launcher and nothing of the tests', () => {
  expect(manifest.bin).toEqual({ rostra: 'src/launch.mjs' });
  expect(manifest.files).toContain('dist');
  expect(manifest.files).toContain('src/launch.mjs');
  expect(manifest.files.some((entry: string) => entry.startsWith('test'))).toBe(false);
  expect(existsSync(new URL('../../LICENSE', import.meta.url))).toBe(true);
});
