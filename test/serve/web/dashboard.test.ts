import { describe, expect } from 'vitest';
import {
  formsOf,
  makeBrowser,
  OWNER,
  says,
  sessionOf,
  setUp,
  signIn,
  type Browser,
  type Shown,
} from '../../harness/calls/browser.ts';
import { it as test, makeWorld } from '../../harness/world.ts';
import { authorityOver } from '#kernel/authority.ts';

const it = test.extend('browser', ({ world }) => setUp(world));

const PUBLIC = { env: { ROOT_URL: 'https://social.example.org', SANDBOX: 'on' } };
const ALLOWED = 'https://app.example.org/back';

/** The form of the row that a word stands in. */
function rowForm(page: Shown, word: string) {
  const row = [...page.text.matchAll(/<li>[\s\S]*?<\/li>/g)].map(([text]) => text).find((text) => text.includes(word));
  const form = formsOf(row ?? '')[0];
  if (form === undefined) throw new Error(`no form beside ${word}: ${page.words}`);
  return form;
}

/** Presses the button of a row. */
async function press(browser: Browser, page: Shown, word: string): Promise<Shown> {
  const { action, hidden } = rowForm(page, word);
  return browser.follow(await browser.post(action, hidden));
}

describe('today', () => {
  it('shows what waits, what comes next, the addresses and who is signed in', async ({ world, account }) => {
    const browser = await setUp(world);
    const make = (more: object) => world.rest('POST /v1/posts', { text: 'Hi', account_ids: [account.id], ...more });
    await make({ scheduled_at: new Date(world.clock.now() + 3_600_000).toISOString() });
    await make({ scheduled_at: new Date(world.clock.now() + 90_000_000).toISOString(), text: 'Later' });
    expect((await browser.open('/')).headers.location).toBe('/dashboard');
    const { status, words, text } = await browser.open('/dashboard');
    expect(status).toBe(200);
    expect(words).toMatch(/Posts that failed 0 .*Next 24 hours 1 .*To answer 0 .*Accounts 1 /);
    expect(words).toContain(`${world.root}/mcp`);
    expect(words).toContain(OWNER.email);
    expect(text).toContain('aria-current="page"');
    expect(text).not.toMatch(/<script(?! src)| style=/);
  });

  it('has the addresses of programs and assistants beside what they call with', async ({ world }) => {
    const browser = await setUp(world);
    expect((await browser.open('/dashboard/keys')).words).toContain(`${world.root}/v1`);
    expect((await browser.open('/dashboard/assistants')).words).toContain(`${world.root}/mcp`);
    expect((await browser.open('/dashboard/accounts')).words).toContain('No account is connected yet');
  });

  it('is the landing page for everyone else', async ({ world }) => {
    const browser = makeBrowser(world);
    expect((await browser.open('/')).words).toContain('This server has no owner yet');
    expect((await browser.open('/sign-in')).words).toContain('This server has no owner yet');
    await setUp(world);
    const { text, words } = await browser.open('/');
    expect(text).toContain('href="/sign-in"');
    expect(words).not.toContain(OWNER.email);
  });

  it('shows nobody the things of others', async ({ world }) => {
    await world.connect();
    await world.product.modules.keys.create(authorityOver(world.workspaceId), world.userId, 'owner key', {});
    const { userId } = (await world.product.modules.users.create('bob@example.org', 'Bob'))!;
    const stranger = await sessionOf(world, userId);
    expect((await stranger.open('/dashboard/accounts')).words).toContain('No account is connected yet');
    expect((await stranger.open('/dashboard/keys')).words).toContain('There is no key yet');
  });
});

describe('API keys', () => {
  it('are made, shown once, listed and revoked', async ({ world, browser }) => {
    const page = await browser.open('/dashboard/keys');
    const limits = { scopes: ['posts:read', 'posts:write'], brand_ids: [world.brandId] };
    const sent = await browser.submit(page, { name: 'n8n <prod>', ...limits }, '/dashboard/keys');
    const made = await browser.follow(sent);
    expect([made.status, made.headers['cache-control']]).toEqual([200, 'no-store']);
    expect(made.text).toContain('n8n &lt;prod&gt;');
    const key = /rostra_key_[0-9a-f]+/.exec(made.text)![0];
    expect((await world.rest('GET /v1/posts', undefined, { key })).status).toBe(200);
    expect((await world.rest('GET /v1/webhooks', undefined, { key })).body.error.code).toBe('auth.insufficient_scope');
    expect(JSON.stringify(sent.headers)).not.toContain(key.slice('rostra_key_'.length));
    expect((await browser.follow(sent)).words).toContain('there is none to show now');
    const list = await browser.open('/dashboard/keys');
    expect(list.text).not.toContain(key);
    expect((await world.rest('GET /v1/keys')).body.data).toHaveLength(2);
    expect(list.words).toContain('limited to posts:read, posts:write and 1 brand');
    const after = await press(browser, list, 'n8n');
    expect(after.words).toMatch(/n8n .* revoked/);
    expect((await world.rest('GET /v1/posts', undefined, { key })).body.error.code).toBe('auth.invalid_key');
  });

  it('are shown to no other session', async ({ world, browser }) => {
    const sent = await browser.submit(await browser.open('/dashboard/keys'), { name: 'x' }, '/dashboard/keys');
    const other = makeBrowser(world);
    await signIn(other);
    for (const [name, cookie] of browser.jar) if (name.endsWith('new-key')) other.jar.set(name, cookie);
    expect((await other.follow(sent)).words).toContain('there is none to show now');
    other.jar.set('rostra-new-key', { value: 'v1.x.y', path: '/' });
    expect((await other.follow(sent)).status).toBe(200);
    expect((await browser.follow(sent)).text).toMatch(/rostra_key_[0-9a-f]+/);
  });

  it('are refused with a reason, and keep what was typed', async ({ browser }) => {
    const page = await browser.open('/dashboard/keys');
    const ask = (fields: Record<string, string>) => browser.submit(page, fields, '/dashboard/keys');
    const nameless = await ask({ name: '  ', scopes: 'posts:read' });
    expect(nameless).toMatchObject(says(400, 'Name is required'));
    expect(nameless.text).toMatch(/value="posts:read" checked/);
    expect(nameless.text).toContain('aria-invalid="true"');
    expect(await ask({ name: 'x', scopes: 'everything' })).toMatchObject(says(400, 'no scope everything'));
    expect(await ask({ name: 'x', brand_ids: 'brd_other' })).toMatchObject(says(400, 'no brand brd_other'));
  });

  it('of others cannot be revoked', async ({ world, browser }) => {
    const stranger = await world.stranger();
    const [foreign] = await world.product.modules.keys.list(authorityOver(stranger.workspaceId));
    const page = await browser.open('/dashboard/keys');
    const { action, hidden } = rowForm(page, 'test');
    const answer = await browser.post(action, { ...hidden, key_id: foreign!.id });
    expect([answer.status, answer.text]).toEqual([404, expect.stringContaining('resource.not_found')]);
    expect((await world.rest('GET /v1/brands', undefined, { key: stranger.key })).status).toBe(200);
  });
});

describe('redirect addresses', () => {
  it('show open mode, are added, refused, removed, and decide where connections end', async ({ world, browser }) => {
    const connect = (redirect_uri: string) =>
      world.rest('POST /v1/accounts/connect', { platform: 'bluesky', redirect_uri });
    const path = '/dashboard/redirect-uris';
    const open = await browser.open(path);
    expect(open.words).toContain('Open mode.');
    expect((await connect('https://anywhere.example/')).status).toBe(202);

    const page = await browser.follow(await browser.submit(open, { uri: ALLOWED, label: 'My <app>' }, path));
    expect(page.text).toContain('My &lt;app&gt;');
    expect(page.words).not.toContain('Open mode');
    expect((await connect(ALLOWED)).status).toBe(202);
    expect((await connect('https://anywhere.example/')).body.error.code).toBe('auth.oauth.invalid_redirect');

    expect(await browser.submit(page, { uri: ALLOWED }, path)).toMatchObject(says(400, 'already registered'));
    const unsound = await browser.submit(page, { uri: 'http://elsewhere.example/' }, path);
    expect(unsound).toMatchObject(says(400, 'Address must be an https address'));
    expect(unsound.text).toContain('value="http://elsewhere.example/"');

    expect((await press(browser, page, ALLOWED)).words).toContain('Open mode.');
    expect((await connect('https://anywhere.example/')).status).toBe(202);
  });
});

describe('every form of the dashboard', () => {
  const FORMS = [
    '/sign-out',
    '/dashboard/keys',
    '/dashboard/keys/revoke',
    '/dashboard/assistants/end',
    '/dashboard/redirect-uris',
    '/dashboard/redirect-uris/delete',
    '/dashboard/timezone',
    '/dashboard/notifications',
    '/dashboard/posting-times',
    '/dashboard/password',
    '/dashboard/token',
  ];

  it.for(FORMS)('%s takes nothing that its own page in this session did not send', async (path, { world, browser }) => {
    const token = formsOf((await browser.open('/dashboard')).text)[0]!.hidden['form_token']!;
    const second = makeBrowser(world);
    await signIn(second);
    const other = formsOf((await second.open('/dashboard')).text)[0]!.hidden['form_token']!;
    expect(other).not.toBe(token);
    const fields = { name: 'forged', uri: ALLOWED, key_id: 'key_1', client_id: 'c', redirect_uri_id: 'r' };
    const own = { ...fields, form_token: token };
    const sent = [await browser.post(path, fields), await browser.post(path, { ...fields, form_token: other })];
    for (const Origin of ['https://evil.example', 'null', world.root.replace('localhost', '127.0.0.1')])
      sent.push(await browser.post(path, own, { Origin }));
    for (const { status, text } of sent)
      expect([status, text]).toEqual([403, expect.stringContaining('auth.state_mismatch')]);
    expect((await browser.post(path, { form_token: token }, { 'Content-Type': 'text/plain' })).status).toBe(415);
    expect((await browser.post(path, { form_token: token, name: 'x'.repeat(20_000) })).status).toBe(413);
    expect((await browser.open('/dashboard/redirect-uris')).words).toContain('Open mode.');
  });

  it.for(FORMS.filter((path) => path !== '/dashboard/token' && path !== '/sign-out'))(
    '%s asks the signed out to sign in',
    async (path, { world }) => {
      await setUp(world);
      const { status, headers } = await makeBrowser(world).post(path, { name: 'x' });
      expect([status, headers.location]).toEqual([302, expect.stringMatching(/^\/sign-in/)]);
    },
  );

  it('answers other methods with 405', async ({ browser }) => {
    for (const path of ['/', '/dashboard/assistants', '/dashboard/apps'])
      expect((await browser.post(path, {})).status).toBe(405);
  });
});

describe('a dashboard token', () => {
  it('is good for fifteen minutes of dashboard operations', async ({ world, browser }) => {
    const answer = await browser.submit(await browser.open('/dashboard/token'), {}, '/dashboard/token');
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    const body = JSON.parse(answer.text) as Record<string, unknown>;
    expect(body).toEqual({
      token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      token_type: 'Bearer',
      expires_in: 900,
      expires_at: expect.any(String),
    });
    const key = body['token'] as string;
    expect((await world.rest('GET /v1/oauth/redirect-uris', undefined, { key })).status).toBe(200);
    expect((await world.rest('GET /v1/keys', undefined, { key })).status).toBe(200);
    world.clock.move(900_000);
    const late = await world.rest('GET /v1/oauth/redirect-uris', undefined, { key });
    expect([late.status, late.body.error.code]).toEqual([401, 'auth.invalid_token']);
  });

  it('is for the signed in, and says so to programs', async ({ world }) => {
    const { status, text, headers } = await makeBrowser(world).post('/dashboard/token', {});
    expect([status, JSON.parse(text).error.code]).toEqual([401, 'auth.not_authenticated']);
    expect(headers['www-authenticate']).toBeDefined();
    expect((await makeBrowser(world).open('/dashboard/token')).headers.location).toContain('/sign-in');
  });
});

describe('the sandbox console of a public server', () => {
  const CONSOLE = [
    '/sandbox',
    '/sandbox/',
    '/sandbox//',
    '/sandbox/faults',
    '/sandbox/%66aults',
    '/sandbox/bluesky/profile/alice.test',
    '/sandbox/bluesky//profile/alice.test',
    '/sandbox/bluesky/graph/me',
    '/sandbox/facebook/www/alice',
    '/sandbox/__control/reset',
  ];

  it.each(CONSOLE)('%s is for the signed in', async (path) => {
    const world = await makeWorld(PUBLIC);
    const { status, headers, text } = await makeBrowser(world).open(path);
    expect([status, headers.location]).toEqual([302, expect.stringMatching(/^\/sign-in\?next=%2Fsandbox/)]);
    expect(text).not.toContain('app password');
    const posted = await makeBrowser(world).post(path, { network: 'bluesky' });
    expect([posted.status, posted.headers.location]).toEqual([302, '/sign-in?next=%2Fsandbox']);
  });

  it('opens to them, and the twins stay open to programs', async () => {
    const world = await makeWorld(PUBLIC);
    const browser = await setUp(world);
    expect(await browser.open('/sandbox')).toMatchObject(says(200, 'nobody here is real'));
    const health = await makeBrowser(world).open('/sandbox/bluesky/xrpc/_health');
    expect([health.status, JSON.parse(health.text)]).toEqual([200, { version: 'sandbox' }]);
    const graph = await makeBrowser(world).open('/sandbox/facebook/graph/me');
    expect([graph.status, Object.keys(JSON.parse(graph.text) as object)]).toEqual([400, ['error']]);
  });

  it('is for the signed in where others reach a server that calls itself localhost, as in a container', async () => {
    const world = await makeWorld({ env: { HOST: '0.0.0.0' } });
    const { status, headers } = await makeBrowser(world).open('/sandbox');
    expect([status, headers.location]).toEqual([302, '/sign-in?next=%2Fsandbox']);
  });

  it('is open to everyone where nobody else can reach it', async ({ world }) => {
    expect((await makeBrowser(world).open('/sandbox')).status).toBe(200);
  });
});
