import { MINUTE, HOUR } from '#kernel/clock.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { signedRequest } from '#sandbox/graph/push/pushes.ts';
import {
  FIELDS,
  FRED,
  MIA,
  OLIVIA,
  openFacebookWorld,
  openPage,
  refused,
  sha256,
  SUCCESS,
  type FacebookWorld,
  type Page,
} from '../../harness/worlds/twins/facebook.ts';
import { formOf, whileHeld } from '../../harness/worlds/twins/bluesky.ts';

let world: FacebookWorld;
let page: Page;
beforeEach(async () => {
  world = await openFacebookWorld();
  page = await openPage(world);
});
afterEach(() => world.close());

const write = (text: string, person = FRED) => world.act('message', { person, page: page.id, text });
const texts = () => world.app.updates().map((update) => update.message?.text);
/** Lets the clock run and what became due be sent. */
async function pass(ms: number) {
  world.clock.move(ms);
  await world.sandbox.settle();
}
const lastPush = async () => (await world.list('pushes')).at(-1);

describe('subscriptions', () => {
  it('make the callback prove itself once, and list what was sent', async () => {
    expect(world.app.handshakes()).toBe(1);
    await page.post('/subscribed_apps', { subscribed_fields: 'feed' });
    expect(world.app.handshakes()).toBe(1);
    const subscription = { id: 'sandbox', subscribed_fields: ['feed'] };
    expect(await page.list('/subscribed_apps')).toMatchObject([subscription]);
    await write('not asked for');
    expect(world.app.pushes()).toEqual([]);
    expect((await page.remove('/subscribed_apps')).json).toEqual(SUCCESS);
    expect(await page.list('/subscribed_apps')).toEqual([]);
  });

  it('refuse fields nobody knows, persons, and messages without the permission', async () => {
    const subscribe = (fields: string, token = page.token) =>
      world.post(`${page.id}/subscribed_apps`, token, { subscribed_fields: fields });
    expect(await subscribe('feed,weather')).toMatchObject(refused(100));
    expect(await subscribe('')).toMatchObject(refused(100));
    expect(await subscribe('feed', page.user)).toMatchObject(refused(190));
    await world.act('revoke_app', { person: OLIVIA });
    const user = await world.login(OLIVIA, {}, 'pages_show_list,pages_manage_metadata');
    expect(await subscribe(FIELDS, (await world.pageOf(user)).token)).toMatchObject(refused(200, undefined, 403));
  });

  it('send nothing to a callback that does not prove itself, until it does', async () => {
    await world.act('callback', { url: `${world.app.url}/elsewhere` });
    await write('one');
    expect(world.app.pushes()).toEqual([]);
    expect(await lastPush()).toMatchObject({ kind: 'handshake', state: 'given_up', status: 404 });
    const set = (path: string) => {
      const subscription = { object: 'page', verify_token: 'sandbox', fields: 'feed' };
      const params = { ...subscription, callback_url: `${world.app.url}/${path}` };
      return world.post('sandbox/subscriptions', 'sandbox|sandbox', params);
    };
    expect(await set('elsewhere')).toMatchObject(refused(2200));
    expect((await set('push/facebook')).json).toEqual(SUCCESS);
    await pass(MINUTE);
    expect(texts()).toEqual(['one']);
    expect(await page.post('sandbox/subscriptions', {})).toMatchObject(refused(15));
  });
});

describe('deliveries', () => {
  it('are signed over the very bytes, which are plain ASCII', async () => {
    await write('ü/<@>');
    const [push] = world.app.pushes();
    expect(push!.headers['x-hub-signature-256']).toBe(`sha256=${sha256(push!.body)}`);
    expect(push!.headers['x-hub-signature']).toMatch(/^sha1=[0-9a-f]{40}$/);
    expect(push!.body).toContain(String.raw`\u00fc\/\u003c\u0040>`);
    expect(push!.body).toMatch(/^[\x20-\x7e]*$/);
    expect(JSON.parse(push!.body)).toMatchObject({
      object: 'page',
      entry: [{ id: page.id, messaging: [{ message: { text: 'ü/<@>' } }] }],
    });
  });

  it('are bundled while held back, doubled, turned round, wrapped or badly signed when told so', async () => {
    await world.act('settings', { push_paused: true });
    await write('a');
    await write('b', MIA);
    await world.act('visitor_post', { person: FRED, page: page.id, message: 'post' });
    expect(world.app.pushes()).toEqual([]);
    await world.act('flush');
    expect(world.app.pushes()).toHaveLength(1);
    expect(JSON.parse(world.app.pushes()[0]!.body).entry).toMatchObject([
      { messaging: [{}, {}] },
      { changes: [{ field: 'feed' }] },
    ]);
    world.app.clear();
    await world.act('settings', {
      push_duplicate: true,
      push_reverse: true,
      push_wrap: true,
      push_wrong_signature: true,
    });
    await write('c');
    await write('d');
    await world.act('flush');
    const pushes = world.app.pushes();
    expect(pushes.map(({ body }) => body)).toEqual([pushes[0]!.body, pushes[0]!.body]);
    expect(texts()).toEqual(['d', 'c', 'd', 'c']);
    expect(pushes[0]!.body).toMatch(/^\[/);
    expect(pushes[0]!.headers['x-hub-signature-256']).not.toBe(`sha256=${sha256(pushes[0]!.body)}`);
  });

  it('are repeated at once and then ever later until they are taken', async () => {
    world.app.answer(500);
    await write('again');
    expect(await lastPush()).toMatchObject({ attempts: 2, state: 'waiting', status: 500 });
    await pass(10_000);
    expect(world.app.pushes()).toHaveLength(3);
    world.app.answer(200);
    await pass(29_000);
    expect(world.app.pushes()).toHaveLength(3);
    await pass(1000);
    expect(await lastPush()).toMatchObject({ attempts: 4, state: 'delivered', status: 200, answer: 'ok' });
    await pass(HOUR);
    expect(new Set(world.app.pushes().map(({ body }) => body)).size).toBe(1);
  });

  it('cost the app its subscription when nobody takes a conversation for an hour, and are kept for 36 hours', async () => {
    world.app.answer(500);
    await write('lost');
    for (let turn = 0; turn < 8; turn += 1) await pass(10 * MINUTE);
    expect(await page.list('/subscribed_apps')).toEqual([]);
    await write('unheard');
    for (let turn = 0; turn < 40; turn += 1) await pass(HOUR);
    expect(await lastPush()).toMatchObject({ state: 'given_up' });
    world.app.answer(200);
    world.app.clear();
    await world.act('resend', { push: (await lastPush()).id });
    expect(texts()).toEqual(['lost']);
  });

  it('survive the process', async () => {
    await world.close();
    const folder = mkdtempSync(join(tmpdir(), 'sandbox-facebook-'));
    const file = join(folder, 'sandbox.db');
    world = await openFacebookWorld({ file });
    page = await openPage(world);
    world.app.answer(503);
    await write('kept');
    const before = await world.list('pushes');
    await world.close();
    world = await openFacebookWorld({ file });
    expect(await world.list('pushes')).toEqual(before);
    expect((await world.get('me', page.token)).json.name).toBe('Harbour Coffee');
    await pass(10 * MINUTE);
    expect(texts()).toEqual(['kept']);
    rmSync(folder, { recursive: true, force: true });
  });
});

describe('the callbacks of an account', () => {
  it('carry a signed request', async () => {
    const { id } = world.sandbox.people().find(({ handle }) => handle === OLIVIA)!;
    await world.act('delete_data', { person: OLIVIA });
    await world.act('revoke_app', { person: OLIVIA });
    const [deletion, removal] = world.app.pushes();
    expect([deletion!.url, removal!.url]).toEqual(['/push/facebook/data-deletion', '/push/facebook/deauthorize']);
    const [signature, payload] = new URLSearchParams(removal!.body).get('signed_request')!.split('.');
    expect(Buffer.from(signature!, 'base64url').toString('hex')).toBe(sha256(payload!));
    expect(JSON.parse(Buffer.from(payload!, 'base64url').toString())).toEqual({
      user_id: id,
      algorithm: 'HMAC-SHA256',
      issued_at: world.clock.now() / 1000,
    });
    expect((await world.list('pushes')).find(({ kind }) => kind === 'data_deletion')).toMatchObject({
      answer: expect.stringContaining('confirmation_code'),
    });
    expect(signedRequest('sandbox', { a: 1 })).toMatch(/^[\w-]{43}\.[\w-]+$/);
  });
});

describe('faults', () => {
  const feed = (message: string) => page.post('/feed', { message });
  type Fault = Parameters<typeof world.sandbox.setFault>[0];
  const set = (kind: Fault['kind'], method?: string) =>
    world.sandbox.setFault({ network: 'facebook', person: OLIVIA, kind, ...(method !== undefined && { method }) });
  const hasPosts = async (count: number) => expect(await world.list('posts')).toHaveLength(count);

  it('throttle in the three ways Graph has, with the headers that say how long', async () => {
    set('throttled', 'POST page/feed');
    const reply = await feed('x');
    expect(reply).toMatchObject(refused(32));
    const [usage] = JSON.parse(reply.headers.get('x-business-use-case-usage')!)[page.id];
    expect(usage).toMatchObject({ call_count: 100, estimated_time_to_regain_access: 5 });
    expect(reply.headers.get('retry-after')).toBeNull();
    set('throttled', 'POST page/messages');
    expect(await page.post('me/messages', {})).toMatchObject(refused(613));
    set('throttled', 'GET person');
    const app = await world.get('me', page.user);
    expect(app).toMatchObject(refused(4));
    expect(JSON.parse(app.headers.get('x-app-usage')!).call_count).toBe(100);
    await hasPosts(0);
  });

  it('expire and revoke tokens', async () => {
    set('expired');
    expect(await feed('x')).toMatchObject(refused(190, 463));
    expect((await feed('x')).status).toBe(200);
    set('revoked');
    expect(await feed('y')).toMatchObject(refused(190, 460));
    expect((await world.get('me', await world.login())).status).toBe(200);
  });

  it('lose the answer or answer 500 and code 2 after the effect', async () => {
    set('lost', 'POST page/feed');
    await expect(feed('a')).rejects.toThrow('fetch failed');
    await hasPosts(1);
    set('error_after');
    expect(await feed('b')).toMatchObject({ status: 500, json: { error: { code: 2, is_transient: true } } });
    await hasPosts(2);
    const requests = world.sandbox.requests().filter(({ method }) => method === 'POST page/feed');
    expect(requests.map(({ fault, status }) => [fault, status])).toEqual([
      ['lost', undefined],
      ['error_after', 500],
    ]);
  });

  it('delay the answer or the effect', async () => {
    for (const kind of ['slow', 'late'] as const) {
      set(kind);
      const reply = await whileHeld(
        world.clock,
        5000,
        () => feed(kind),
        () => hasPosts(1),
      );
      expect(reply.status).toBe(200);
    }
    await hasPosts(2);
  });

  it('lose the answer of the code exchange, whose code is then used up', async () => {
    const { location } = await world.act('consent', { url: world.dialog(), person: OLIVIA });
    const code = new URL(location).searchParams.get('code')!;
    set('lost', 'GET oauth/access_token');
    await expect(world.exchange(code)).rejects.toThrow('fetch failed');
    expect(await world.exchange(code)).toMatchObject(refused(100, 36009));
  });
});

describe('the console', () => {
  it('lets an operator play every part by form, and shows posts, messages and deliveries', async () => {
    const { json } = await page.post('/feed', { message: '<b>bold</b>' });
    const home = await world.ask('/sandbox/facebook');
    expect(home.status).toBe(200);
    expect(home.text).toContain('&lt;b&gt;bold');
    expect(home.text).not.toMatch(/<script|<style|\son\w+=|style="/);
    expect((await world.ask('/sandbox')).text).toContain('href="/sandbox/facebook"');
    const [person] = /(?<=<option value=")\d+(?=">Fred)/.exec(home.text)!;
    const form = formOf(world, home, '/sandbox/act');
    const submit = async (action: string, fields: Record<string, string>, headers = {}) =>
      (await form({ network: 'facebook', action, ...fields }, headers)).status;
    const comment = { person, on: json.id, message: 'by form' };
    expect(await submit('comment', { ...comment, picture_url: '' })).toBe(303);
    expect(await submit('message', { person, page: page.id, text: 'dm by form' })).toBe(303);
    await world.sandbox.settle();
    const after = (await world.ask('/sandbox/facebook')).text;
    for (const words of ['by form', 'dm by form', 'delivered']) expect(after).toContain(words);
    expect(await submit('comment', { ...comment, on: 'nowhere' })).toBe(404);
    expect(await submit('comment', { person, message: 'x' })).toBe(400);
    expect(await submit('comment', { ...comment, colour: 'red' })).toBe(400);
    expect(await submit('comment', comment, { origin: 'https://evil.example' })).toBe(403);
    expect(await submit('consent', { url: world.dialog() })).toBe(404);
    expect((await world.ask('/sandbox/facebook', { method: 'POST' })).status).toBe(405);
    expect((await world.ask('/sandbox/facebook/nothing')).status).toBe(404);
  });

  it('goes back to the first day', async () => {
    await page.post('/feed', { message: 'x' });
    await world.act('remove_page', { person: OLIVIA, page: page.id });
    await world.sandbox.reset();
    for (const list of ['posts', 'pushes', 'messages']) expect(await world.list(list)).toEqual([]);
    expect(await page.get('me')).toMatchObject(refused(190, 458));
    expect(await world.list('pages')).toHaveLength(3);
    expect((await world.ready()).id).toBe(page.id);
  });

  it('serves strangers’ files as downloads, and nothing outside its store', async () => {
    const attachment_url = world.app.put('x.html', Buffer.from('<script>alert(1)</script>'), 'text/html');
    const { pieces } = await world.act('message', { person: FRED, page: page.id, attachment_url });
    const { status, headers } = await world.ask(`${world.at}/cdn/${pieces[0].blob}`);
    expect([status, headers.get('content-type')]).toEqual([200, 'application/octet-stream']);
    expect(headers.get('content-disposition')).toBe('attachment; filename="x.html"');
    for (const path of ['cdn/none', 'cdn/..%2f..%2fsandbox.db', 'www/none', 'rupload/x'])
      expect((await world.ask(`${world.at}/${path}`)).status).toBe(404);
  });
});
