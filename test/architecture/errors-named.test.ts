import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ERRORS, PLATFORM_REASONS } from '#kernel/errors.ts';
import { PLATFORMS } from '#kernel/platforms.ts';
import { ROOT, tests } from './source.ts';

/** What a test goes through that asks a whole server, as its clients do. */
const DOOR = /from '[./]*\/(?:harness\/(?:world|calls\/operations|worlds\/(?:http|mcp|oauth|social|web))|stage)\.ts'/;

/** Codes that no test names, and why. */
const UNNAMED: Readonly<Record<string, string>> = {
  'account.platform_unsupported':
    'The log-in pages of the platforms turn such accounts away themselves; a login without a usable one is no_pages and the like.',
  'whatsapp.unknown': 'test/tools/whatsapp/refusals.test.ts tries what the operations declare, this among it.',
};

const journeys = tests
  .filter((path) => path.endsWith('.test.ts'))
  .map((path) => readFileSync(join(ROOT, path), 'utf8'))
  .filter((text) => DOOR.test(text));

/** In quotes, or in a pattern. */
const isNamed = (code: string) => {
  const whole = new RegExp(`(?<![\\w.])${code.replaceAll(/[.$]/g, '\\\\?\\$&')}(?![\\w.])`);
  return journeys.some((text) => whole.test(text));
};

it('every code of the catalogue is met by a test that goes through a door', () => {
  // What `assessment_error` says is tried with the migrations.
  const codes = Object.keys(ERRORS).filter((code) => !code.startsWith('migration.'));
  expect(codes.filter((code) => !isNamed(code))).toEqual(Object.keys(UNNAMED));
});

it('so is everything a platform may refuse for', () => {
  const codesOf = (reason: string) => [...PLATFORMS, '${SLUG}'].map((slug) => `platform.${slug}.${reason}`);
  expect(Object.keys(PLATFORM_REASONS).filter((reason) => !codesOf(reason).some(isNamed))).toEqual([]);
});
