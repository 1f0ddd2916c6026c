import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { connectionIdOf } from '#kernel/limits/leash.ts';
import { makeBrowser, OWNER, type Browser } from '../../harness/calls/browser.ts';
import type { Seat } from '../../harness/processes.ts';

/** Sets a server up as its owner does; answers the browser, which stays signed in. */
export async function signUp(
  seat: Pick<Seat, 'root' | 'folder'>,
  rootUrl = seat.root(),
  nextPort?: () => number,
): Promise<Browser> {
  const browser = makeBrowser({ config: { rootUrl }, root: seat.root() }, nextPort);
  const [, token] = /setup\?token=(\S+)/.exec(readFileSync(join(seat.folder, 'first-run.txt'), 'utf8'))!;
  const page = await browser.follow(await browser.open(`/setup?token=${token}`));
  expect((await browser.submit(page, { ...OWNER, repeated: OWNER.password })).status).toBe(302);
  return browser;
}

/** A new key, with limits as a person sets them. */
export async function limitedKey(
  seat: Pick<Seat, 'rest'>,
  browser: Browser,
  limits: Readonly<Record<string, string>>,
): Promise<Readonly<{ id: string; key: string; connection: string }>> {
  const { id, raw_key } = (await seat.rest('POST', '/v1/keys', { name: 'Assistant' })).body;
  const connection = connectionIdOf(id);
  const path = `/dashboard/assistants/${connection}`;
  const saved = await browser.submit(await browser.open(path), limits, path);
  expect(saved.headers.location).toBe('/dashboard/assistants');
  return { id, key: raw_key, connection };
}
