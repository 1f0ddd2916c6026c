import { request } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { html, page, plain, webAddress } from '#sandbox/html.ts';
import { openWorld, png, type World } from '../harness/worlds/twins/bluesky.ts';

const ALICE = 'alice.sandbox.test';
const POST = 'app.bsky.feed.post';
const KEY = '3lbexample222';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

async function post(record: object): Promise<any> {
  const session = await world.login(ALICE);
  const input = {
    repo: session.did,
    collection: POST,
    rkey: KEY,
    record: { createdAt: '2026-11-21T12:00:00Z', ...record },
  };
  return (await world.xrpc('com.atproto.repo.putRecord', { token: session.accessJwt, input })).json;
}

/** A fault form as a browser would send it from the console. */
async function submit(changes: { headers?: Record<string, string>; fields?: Record<string, string> } = {}) {
  const shown = await world.ask('/sandbox/bluesky');
  const cookie = shown.headers.get('set-cookie')!.split(';')[0]!;
  const form_token = /name="form_token" value="([^"]+)"/.exec(shown.text)![1]!;
  const fields = {
    form_token,
    network: 'bluesky',
    person: ALICE,
    kind: 'throttled',
    method: '',
    times: '2',
    delay_ms: '0',
    ...changes.fields,
  };
  return world.ask('/sandbox/faults', {
    method: 'POST',
    headers: { cookie, origin: world.root, ...changes.headers },
    body: new URLSearchParams(fields),
  });
}

describe('html', () => {
  it('escapes every value, also objects that look like markup', () => {
    const evil = `<b a="x" b='y'>&`;
    const likeMarkup: unknown = JSON.parse('{"markup":"<i>"}');
    expect(page('t', html`${evil}${[evil]}${plain(likeMarkup)}`)).not.toMatch(/<b a|<i>/);
    expect(page('</title><script>', html`${html`<p>${1}</p>`}${undefined}${false}`)).toContain('<p>1</p>');
    expect(page('</title><script>', html``)).not.toContain('<script>');
  });

  it('links only to the web', () => {
    expect(webAddress('https://example.com/a b')).toBe('https://example.com/a%20b');
    for (const uri of ['javascript:alert(1)', 'data:text/html,x', 'nonsense', 5])
      expect(webAddress(uri)).toBeUndefined();
  });
});

describe('the console', () => {
  it('lists people with their app passwords, posts, requests, and lets no script in', async () => {
    await post({ text: '<script>alert(1)</script>' });
    const { status, text, headers } = await world.ask('/sandbox');
    expect(status).toBe(200);
    for (const { handle, credentials } of world.sandbox.people())
      for (const part of [handle, ...Object.values(credentials)]) expect(text).toContain(part);
    expect(text).toContain('&lt;script&gt;alert(1)');
    expect(text).toContain('com.atproto.repo.putRecord');
    expect(text).not.toMatch(/<script|<style|\son\w+=|style="/);
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('set-cookie')).toMatch(/httponly/i);
    expect((await world.ask('/sandbox/style.css')).headers.get('content-type')).toMatch('text/css');
  });

  it('switches faults on and off through its form', async () => {
    const done = await submit();
    expect([done.status, done.headers.get('location')]).toEqual([303, '/sandbox/bluesky?done=fault']);
    expect((await world.ask('/sandbox/__control/faults')).json.data).toMatchObject([{ kind: 'throttled', times: 2 }]);
    const after = await world.ask('/sandbox/bluesky?done=fault');
    for (const words of ['2 left', 'Done: the fault is set.']) expect(after.text).toContain(words);
    expect((await world.ask('/sandbox')).text).toContain('1 fault switched on');
    expect((await world.ask('/sandbox/bluesky?done=%3Cb%3E')).text).not.toContain('Done: ');
    const session = { input: { identifier: ALICE, password: 'x' } };
    expect((await world.xrpc('com.atproto.server.createSession', session)).status).toBe(429);
  });

  it.each<[string, Parameters<typeof submit>[0], number]>([
    ['from another origin', { headers: { origin: 'https://evil.example' } }, 403],
    ['from a nowhere origin', { headers: { origin: 'null' } }, 403],
    ['that a browser calls cross-site', { headers: { 'sec-fetch-site': 'cross-site' } }, 403],
    ['without its token', { fields: { form_token: '' } }, 403],
    ['with a token of another visitor', { headers: { cookie: `sandbox_form=${'a'.repeat(32)}` } }, 403],
    ['for no network', { fields: { network: 'x' } }, 400],
    ['for nobody', { fields: { person: 'nobody' } }, 400],
    ['for no known fault', { fields: { kind: 'toString' } }, 400],
    ['for no known call', { fields: { method: 'x' } }, 400],
    ['too often', { fields: { times: '1001' } }, 400],
    ['too long', { fields: { kind: 'x'.repeat(20_000) } }, 413],
  ])('refuses a form %s', async (_, changes, status) => {
    expect((await submit(changes)).status).toBe(status);
    expect((await world.ask('/sandbox/__control/faults')).json.data).toEqual([]);
  });

  it('shows a post with links and pictures at its own address', async () => {
    const session = await world.login(ALICE);
    const { blob } = (await world.upload(session.accessJwt, png(), 'image/png')).json;
    const link = (uri: string, byteStart: number, byteEnd: number) => ({
      index: { byteStart, byteEnd },
      features: [{ $type: 'app.bsky.richtext.facet#link', uri }],
    });
    await post({
      text: 'é good bad <b>',
      facets: [link('https://example.com/?a=1&b=2', 3, 7), link('javascript:alert(1)', 8, 11)],
      embed: { $type: 'app.bsky.embed.images', images: [{ image: blob, alt: '"quoted"' }] },
    });
    const { status, text } = await world.ask(`/sandbox/bluesky/profile/${ALICE}/post/${KEY}`);
    expect(status).toBe(200);
    expect(text).toMatch(/<a href="https:\/\/example\.com\/\?a=1&amp;b=2"[^>]*>good<\/a>/);
    expect(text).toContain('alt="&quot;quoted&quot;"');
    expect(text).not.toMatch(/javascript:|<b>/);
    const picture = /<img src="([^"]+)"/.exec(text)![1]!.replaceAll('&amp;', '&');
    expect((await world.ask(picture)).headers.get('content-type')).toBe('image/png');
    expect((await world.ask(`/sandbox/bluesky/profile/${ALICE}`)).text).toContain('good');
  });

  it.each([
    '/sandbox/nothing',
    '/sandbox/bluesky/nothing',
    '/sandbox/facebook/profile/x',
    '/sandbox/bluesky/profile/x',
    `/sandbox/bluesky/profile/${ALICE}/post/none`,
    '/sandbox/..%2f..%2fetc%2fpasswd',
    '/sandbox/bluesky/profile/%2e%2e%2f/x',
  ])('has nothing at %s', async (path) => {
    expect((await world.ask(path)).status).toBe(404);
  });

  it('answers below a mount that has taken its prefix off, too', async () => {
    expect((await world.ask('/bluesky/xrpc/_health')).json).toEqual({ version: 'sandbox' });
  });

  it('answers 400 to an address that cannot be decoded and 421 to a foreign host', async () => {
    expect((await world.ask('/sandbox/%zz')).status).toBe(400);
    const status = await new Promise((resolve, reject) => {
      const asked = request(
        `${world.root}/sandbox`,
        { headers: { host: 'evil.example' }, agent: false },
        (response) => {
          response.resume();
          resolve(response.statusCode);
        },
      );
      asked.on('error', reject).end();
    });
    expect(status).toBe(421);
  });
});

describe('the control door', () => {
  const send = (path: string, body: unknown) =>
    world.ask(`/sandbox/__control/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  it('adds people, lists posts and requests, sets faults and resets', async () => {
    const added = await send('people', { handle: 'dora.sandbox.test' });
    expect(added.json.data).toMatchObject({ handle: 'dora.sandbox.test', posts: 0 });
    const session = await world.login('dora.sandbox.test');
    expect((await send('faults', { person: 'dora.sandbox.test', kind: 'expired' })).status).toBe(200);
    expect((await world.xrpc('com.atproto.server.getSession', { token: session.accessJwt })).status).toBe(400);
    await post({ text: 'x' });
    expect((await world.ask('/sandbox/__control/posts')).json.data).toHaveLength(1);
    expect((await world.ask('/sandbox/__control/requests?method=com.atproto.repo.putRecord')).json.data).toMatchObject([
      { status: 200, note: `${POST}/${KEY}` },
    ]);
    await send('reset', {});
    for (const list of ['posts', 'requests', 'faults'])
      expect((await world.ask(`/sandbox/__control/${list}`)).json.data).toEqual([]);
    expect(world.sandbox.people().filter(({ network }) => network === 'bluesky')).toHaveLength(4);
    await world.login('dora.sandbox.test');
  });

  it('takes JSON only, checks it, and is shut unless opened', async () => {
    const plain = await world.ask('/sandbox/__control/reset', { method: 'POST', body: 'x' });
    expect(plain.status).toBe(415);
    expect((await send('faults', { person: ALICE, kind: 'nonsense' })).status).toBe(400);
    expect((await send('faults', { person: 'nobody', kind: 'lost' })).status).toBe(404);
    const shut = await openWorld({ control: false });
    expect((await shut.ask('/sandbox/__control/people')).status).toBe(404);
    await shut.close();
  });
});
