import { spawnSync } from 'node:child_process';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { Zernio } from '@zernio/node';
import { expect, it } from 'vitest';
import { readConfig } from '#kernel/config/config.ts';
import { platforms } from '#platforms/index.ts';
import { blockOf, blocks } from '../harness/docs/blocks.ts';
import { CHECKED } from '../harness/docs/checked.ts';
import { ROOT } from '../architecture/source.ts';

const kept = (way: string) => CHECKED.filter(([, , one]) => one === way);

it('every code block of a page is run or read by a test, or says why not', () => {
  const lacking = blocks.filter(
    ({ page, text }) => CHECKED.filter(([of, beginning]) => of === page && text.startsWith(beginning)).length !== 1,
  );
  const told = lacking.map(
    ({ page, text }) => `say in test/harness/docs/checked.ts how this is checked: ${page}: ${text.split('\n', 1)[0]}`,
  );
  expect(told).toEqual([]);
  // None stays in the list after its block has gone.
  for (const [page, beginning] of CHECKED) expect(blockOf(page, beginning)).not.toBe('');
});

it('tests that are said to run a block are there', () => {
  const named = CHECKED.flatMap(([, , way]) => (typeof way === 'object' && 'by' in way ? [way.by] : []));
  expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

it('shell blocks are read by a shell', () => {
  const shell = blocks.filter(({ language }) => language === 'sh');
  expect(shell.length).toBeGreaterThan(30);
  const faults = shell.flatMap(({ page, text }) => {
    const { stderr } = spawnSync('bash', ['-n'], {
      input: text.replaceAll(/<[^<>\n]+>/g, 'word'),
      encoding: 'utf8',
    });
    return stderr === '' ? [] : [`${page}: ${stderr}`];
  });
  expect(faults).toEqual([]);
});

it.each(kept('json'))('%s: JSON that begins with %s is read as JSON', (page, beginning) => {
  expect(JSON.parse(blockOf(page, beginning))).toEqual(expect.any(Object));
});

it.each(kept('settings'))('%s: settings that begin with %s are accepted', (page, beginning) => {
  let next = 0;
  // What is left out differs from one setting to the other.
  const text = blockOf(page, beginning).replaceAll('…', () => `a1b2c3d4${next++}`);
  const lines = text.trimEnd().split('\n');
  const env = lines.map((line) => /^(\w+)=(\S+)(?: +#.*)?$/.exec(line)!.slice(1, 3) as [string, string]);
  expect(() => readConfig(platforms.values(), Object.fromEntries(env))).not.toThrow();
});

it('the function of docs/webhooks.md believes a genuine request alone', () => {
  const secret = '5e'.repeat(32);
  const isGenuine = runInNewContext(`${blockOf('docs/webhooks.md', 'function isGenuine')} isGenuine`, {
    createHmac,
    timingSafeEqual,
    Buffer,
    SECRET: secret,
  }) as (headers: Record<string, string>, rawBody: string) => boolean;
  const timestamp = String(Math.floor(Date.now() / 1000));
  const body = '{"event":"post.published"}';
  const sign = (at: string) => `sha256=${createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')}`;
  const headers = { 'x-service-timestamp': timestamp, 'x-service-signature-v2': sign(timestamp) };
  expect(isGenuine(headers, body)).toBe(true);
  expect(isGenuine(headers, `${body} `)).toBe(false);
  expect(isGenuine({}, body)).toBe(false);
  const old = String(Number(timestamp) - 400);
  expect(isGenuine({ 'x-service-timestamp': old, 'x-service-signature-v2': sign(old) }, body)).toBe(false);
});

it('the client of docs/migrate.md is made', () => {
  const code = blockOf('docs/migrate.md', 'const zernio');
  expect(runInNewContext(`${code} zernio`, { Zernio })).toBeInstanceOf(Zernio);
});
