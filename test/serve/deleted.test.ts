import { createServer } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Messages } from '#platforms/messages.ts';
import { postsOf, exportWorld } from '../engine/exports/world.ts';
import { askConsent, decide, exchange, openAuthWorld } from '../harness/calls/authorize.ts';
import { isSignedIn, setUp } from '../harness/calls/browser.ts';
import { openThread, store } from '../harness/calls/rest.ts';
import { png } from '../harness/media-samples.ts';
import { accountPush, said, sendPush } from '../harness/platforms/inbound.ts';
import { serveTest } from '../harness/sockets.ts';
import type { World } from '../harness/world.ts';
import { consentPage, consentWorld, profileOf } from '../harness/worlds/consent.ts';
import { invite } from '../harness/worlds/invited.ts';

afterEach(() => void vi.useRealTimers());

/** Deletes the user with everything of theirs; nothing that is due later happens. */
async function deleteAll(world: World): Promise<void> {
  expect((await world.rest('DELETE /v1/users/me')).status).toBe(200);
}

/** A workspace with something behind every kind of address that is its own permission, and these addresses. */
async function openDoors() {
  const host = await serveTest(createServer((_, response) => void response.end('bytes')));
  const messages: Messages = {
    parts: { text: { max: 100, counting: 'chars' } },
    bubble: { send: () => Promise.reject(new Error('not here')) },
    locate: () => Promise.resolve({ url: host }),
  };
  const { push, targets } = accountPush();
  const { world, finished } = await exportWorld({ posts: postsOf(1), push, messages }, { slug: 'telegram' });
  const { callback, secret } = targets[0]!;
  await sendPush(callback, [{ event: said('m1', { attachments: [{ type: 'image', ref: 'r1' }] }) }], secret);
  const { result } = await finished();
  const [message] = await (await openThread(world)).messages();
  const ask = { platform: 'bluesky', brand_id: world.brandId };
  const { auth_url } = (await world.rest('POST /v1/accounts/connect', ask)).body;
  const { upload_url } = (await world.rest('GET /v1/media/upload-url?media_type=image/png&filename=a.png')).body;
  const { url } = await store(world, 'a.png', 'image/png', png());
  const { url: link } = await invite(world, { platform: 'bluesky' });
  const get = (address: string, method = 'GET') =>
    fetch(address, { method, redirect: 'manual' }).then(({ status }) => status);
  return {
    world,
    doors: {
      'a stored file': () => get(url),
      'a stored file, by HEAD': () => get(url, 'HEAD'),
      'the spreadsheet of an export': () => get(result.excel_url),
      'the report of an export': () => get(result.report_url),
      'an attachment behind a login': () => get(message!.attachment_url),
      'the page of a connection': () => get(auth_url),
      'the link of an invite': () => get(link),
      'the push address of an account': async () => (await sendPush(callback, [], secret)).status,
      'an upload address': async () => (await fetch(upload_url, { method: 'PUT', body: png() })).status,
    } satisfies Record<string, () => Promise<number>>,
  };
}

describe('when a user is deleted', () => {
  it('every address that is its own permission leads nowhere, at once', async () => {
    const { world, doors } = await openDoors();
    const { 'an upload address': _, ...harmless } = doors;
    for (const [name, open] of Object.entries(harmless))
      expect([name, await open()]).toEqual([name, expect.toSatisfy((status: number) => status < 400)]);
    await deleteAll(world);
    for (const [name, open] of Object.entries(doors))
      expect([name, await open()]).toEqual([name, expect.toBeOneOf([401, 403, 404, 410])]);
  });

  it('a login that is under way ends, and so does a choice between its profiles', async () => {
    const { world, script } = await consentWorld();
    script.profiles = [profileOf('1'), profileOf('2')];
    const [begun, choosing] = [await consentPage(world), await consentPage(world, { redirect_uri: undefined })];
    const led = await choosing.back({ code: 'good' });
    const page = () =>
      fetch(new URL(led.headers.get('location')!, world.root), { headers: { Cookie: choosing.cookie } });
    expect((await page()).status).toBe(200);
    await deleteAll(world);
    expect((await page()).status).toBeGreaterThan(400);
    expect((await begun.back({ code: 'good' })).status).toBeGreaterThan(400);
    expect(script.finished).toHaveLength(1);
    expect(await world.product.store.db.selectFrom('accounts').select('id').execute()).toEqual([]);
  });

  it('nobody is signed in any more, and codes and tokens of apps are none', async () => {
    const { world } = await openAuthWorld();
    const browser = await setUp(world);
    const allow = async () => {
      const { client, page } = await askConsent(world, browser);
      return { client, code: (await decide(browser, page, 'allow')).searchParams.get('code')! };
    };
    const [used, fresh] = [await allow(), await allow()];
    const tokens = (await exchange(world, used.client, used.code)).body;
    const open = async (key: string) => (await world.rest('GET /v1/users/me', undefined, { key })).status;
    expect([await open(tokens.access_token), await isSignedIn(browser)]).toEqual([200, true]);
    await deleteAll(world);
    const asked = { grant_type: 'refresh_token', client_id: used.client, refresh_token: tokens.refresh_token };
    const answers = [
      await world.rest('POST /oauth/token', asked, { key: null }),
      await exchange(world, fresh.client, fresh.code),
    ];
    expect(answers.map(({ body }) => body.error)).toEqual(['invalid_grant', 'invalid_grant']);
    expect([await open(tokens.access_token), await isSignedIn(browser)]).toEqual([401, false]);
  });
});
