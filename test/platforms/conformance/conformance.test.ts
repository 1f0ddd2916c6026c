import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { platforms } from '#platforms/index.ts';
import { SUBJECTS } from './subjects.ts';

it.each([...platforms.keys()])('%s is listed, and has a test that it conforms', (slug) => {
  const test = `../${slug}/conformance.test.ts`;
  expect(existsSync(new URL(test, import.meta.url)), `write ${test} as facebook's`).toBe(true);
  expect(SUBJECTS.map(({ platform }) => platform.slug)).toContain(slug);
});
