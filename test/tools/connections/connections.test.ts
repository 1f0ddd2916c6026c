import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { afterEach, describe, expect, vi } from 'vitest';
import { putRecord } from '#db/access/oauth.ts';
import { accessToken, askConsent, begin, decide, exchange, openAuthWorld } from '../../harness/calls/authorize.ts';
import { OWNER, says, setUp, type Browser, type Shown } from '../../harness/calls/browser.ts';
import { dashboardToken, describeDashboardCallers } from '../../harness/calls/dashboard.ts';
import { connectionOf, givePassword, leash, leashedKey } from '../../harness/calls/leash.ts';
import { call, callMcp, callThrough, expectRefusal } from '../../harness/calls/operations.ts';
import { askTool } from '../../harness/calls/requests.ts';
import { describeStores } from '../../harness/stores/stores.ts';
import { it, makeWorld, type World } from '../../harness/world.ts';

describeDashboardCallers('list_connections');
describeDashboardCallers('set_leash', { connection_id: 'con_none', preset: 'ask' });
describeDashboardCallers('end_connection', { connection_id: 'con_none' });

afterEach(() => void vi.useRealTimers());

const ACCEPT = { Accept: 'application/json, text/event-stream' };
const listed = async (world: World) =>
  (await call(world, 'list_connections', {}, { key: await dashboardToken(world) })).body.data;
const toolsOf = async (world: World, key: string): Promise<string> =>
  JSON.stringify(
    (await world.rest('POST /mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' }, { key, headers: ACCEPT })).body,
  );

/** What a connection may do, by one operation of each act. */
const ACTS = {
  draft: ['create_post', { text: 'Later' }],
  post: ['publish_post', { post_id: 'post_none' }],
  message: ['send_dm', { conversation_id: 'conv_none', text: 'Hi' }],
  comment: ['reply_to_comment', { post_id: 'post_none', text: 'Hi' }],
  moderate: ['like_comment', { comment_id: 'cmt_none' }],
  delete: ['delete_media', { media_id: 'med_none' }],
  connect: ['sync_account', { account_id: 'acc_none' }],
  admin: ['create_brand', { name: 'B' }],
} as const;

it('list_connections names an app that is not registered by its host', async ({ world }) => {
  const client_id = 'https://client.example/app.json';
  const given = { grant_id: 'grant', client_id, user_id: world.userId, payload: {}, created_at: 0 };
  const expires_at = world.clock.now() + 1000;
  await world.product.store.write(async ({ db }) => {
    for (const [id, model] of [
      ['grant', 'Grant'],
      ['token', 'RefreshToken'],
    ] as const)
      await putRecord(db, { ...given, id, model, expires_at });
  });
  const apps = (await listed(world)).filter(({ kind }: { kind: string }) => kind === 'oauth');
  expect(apps).toMatchObject([{ name: 'client.example', host: 'client.example' }]);
});

describe('set_leash', () => {
  it.for([
    ['read', []],
    ['draft', ['draft']],
    ['ask', ['draft']],
    // What waits for an answer is looked up first.
    ['answer', ['draft', 'message', 'moderate']],
    ['full', Object.keys(ACTS)],
  ] as const)('%s allows %s by itself', async ([preset, allowed], { world }) => {
    const key = await leashedKey(world, preset);
    const person = { key: await dashboardToken(world) };
    const isHeld = async (tool: string) =>
      (await call(world, 'list_audit', { tool, verdict: 'hold' }, person)).body.data.length > 0;
    const may: string[] = [];
    for (const [act, [name, input]] of Object.entries(ACTS)) {
      const { code = '', meta } = await callThrough(world, 'rest', name, input, { key });
      // What allows no act of an operation is refused before the input is read.
      if (code === 'auth.leash_denied')
        expect(meta).toEqual({ act: preset === 'read' && act === 'draft' ? 'post' : act });
      else if (!(await isHeld(name))) may.push(act);
    }
    expect(may).toEqual(allowed);
    expect((await callMcp(world, 'get_leash', {}, { key })).body).toMatchObject({ preset });
    expect((await call(world, 'list_posts', {}, { key })).ok).toBe(true);
  });

  it('keeps what belongs to the workspace and other brands out of reach, and out of the list of tools', async ({
    world,
  }) => {
    const other = (await call(world, 'create_brand', { name: 'Other' })).body.id;
    const account = await world.connect(0, other);
    const key = await leashedKey(world, 'answer', { brand_ids: [world.brandId] });
    for (const [name, input] of [
      ['create_key', { name: 'k' }],
      ['create_webhook', { url: 'https://a.example', events: ['post.failed'] }],
      ['list_webhooks', {}],
      ['list_keys', {}],
    ] as const) {
      expect((await callThrough(world, 'rest', name, input, { key })).status).toBe(403);
      expect(await toolsOf(world, key)).not.toContain(`"${name}"`);
    }
    expect((await call(world, 'list_accounts', {}, { key })).body.data).toEqual([]);
    await expectRefusal(call(world, 'get_account_limits', { account_id: account.id }, { key }), 'account.not_found');
    expect(await toolsOf(world, key)).toContain('"get_leash"');
  });

  it('without one changes nothing, also after one was taken off', async ({ world }) => {
    const before = await toolsOf(world, world.key);
    const key = await world.newKey();
    expect(await toolsOf(world, key)).toBe(before);
    await leash(world, key, { preset: 'ask' });
    expect(await toolsOf(world, key)).not.toBe(before);
    await leash(world, key, { preset: 'full', password: await givePassword(world) });
    expect(await toolsOf(world, key)).toBe(before);
    expect(before).not.toContain('"get_leash"');
    expect((await call(world, 'get_leash')).body).toMatchObject({ preset: 'full', connection_id: null, caps: {} });
  });

  it('takes the password of the person where it allows more, and nothing where it allows less', async ({ world }) => {
    const connection_id = await connectionOf(world, await leashedKey(world, 'ask'));
    const key = await dashboardToken(world);
    const set = (input: object) => call(world, 'set_leash', { connection_id, ...input }, { key });
    const refused = { field: 'password' };
    await expectRefusal(set({ preset: 'full' }), 'validation.field_invalid', refused);
    const password = await givePassword(world);
    for (const wider of [{ preset: 'full' }, { preset: 'ask', decides: true }, { preset: 'answer' }]) {
      await expectRefusal(set(wider), 'validation.field_invalid', refused);
    }
    expect((await set({ preset: 'draft' })).ok).toBe(true);
    const again = { preset: 'ask', password: 'not my password' };
    await expectRefusal(set(again), 'validation.field_invalid', refused);
    // Another token is no other person.
    const others = () =>
      dashboardToken(world).then((other) => call(world, 'set_leash', { connection_id, ...again }, { key: other }));
    const answers = [await others(), await others(), await others()].map(({ status }) => status);
    expect(answers).toContain(429);
    world.clock.move(60_000);
    expect((await set({ preset: 'full', password })).ok).toBe(true);
  });

  it('does not widen what a key is limited to anyway', async ({ world }) => {
    const key = await leashedKey(world, 'full', { brand_ids: [world.brandId] }, { scopes: ['webhooks:manage'] });
    await expectRefusal(call(world, 'list_webhooks', {}, { key }), 'auth.insufficient_scope');
    await expectRefusal(call(world, 'list_posts', {}, { key }), 'auth.insufficient_scope');
    const narrow = await leashedKey(world, 'draft', {}, { scopes: ['posts:read'] });
    await expectRefusal(
      callThrough(world, 'rest', 'create_post', { text: 'x' }, { key: narrow }),
      'auth.insufficient_scope',
    );
  });

  it('refuses brands and connections that are none, and apps that decide', async ({ world }) => {
    const key = await dashboardToken(world);
    const connection_id = await connectionOf(world, world.key);
    const set = (input: object) => call(world, 'set_leash', { connection_id, preset: 'ask', ...input }, { key });
    await expectRefusal(set({ brand_ids: ['brd_none'] }), 'validation.brand_invalid', { field: 'brand_ids' });
    await expectRefusal(set({ connection_id: 'con_none' }), 'resource.not_found');
    await expectRefusal(set({ preset: 'most' }), 'validation.field_invalid', { field: 'preset' });
    const other = (await world.product.modules.users.create('other@example.org', 'Other'))!;
    const theirs = await dashboardToken(world, other.userId);
    await expectRefusal(
      call(world, 'set_leash', { connection_id, preset: 'ask' }, { key: theirs }),
      'resource.not_found',
    );
  });

  it('lets a draft be changed under draft, and nothing that a person scheduled', async ({ world, account }) => {
    const key = await leashedKey(world, 'draft');
    const create = (more: object = {}) =>
      callThrough(world, 'rest', 'create_post', { text: 'x', account_ids: [account.id], ...more }, { key });
    const refused = await create({ publish_now: true });
    expect(refused.body.error.message).toContain('Without publish_now and without a time, this call makes a draft.');
    const post = (await create()).body;
    const edit = (input: object) => callThrough(world, 'rest', 'update_post', { post_id: post.id, ...input }, { key });
    expect((await edit({ text: 'y' })).ok).toBe(true);
    const scheduled_at = '2026-02-01T09:00:00Z';
    await expectRefusal(edit({ scheduled_at }), 'auth.leash_denied', { act: 'post' });
    await expectRefusal(edit({ targets: [{ account_id: account.id, scheduled_at }] }), 'auth.leash_denied');
    await callThrough(world, 'rest', 'update_post', { post_id: post.id, scheduled_at });
    for (const input of [{ text: 'z' }, { scheduled_at: null }, { hidden: true }])
      await expectRefusal(edit(input), 'auth.leash_denied', { act: 'post' });
    const times = { posts: [{ post_id: post.id, scheduled_at }] };
    await expectRefusal(callThrough(world, 'rest', 'reschedule_posts', times, { key }), 'auth.leash_denied');
    expect((await call(world, 'get_post', { post_id: post.id })).body).toMatchObject({
      text: 'y',
      status: 'scheduled',
    });
  });
});

describe('a request whose body is still on its way', () => {
  const parked: readonly (readonly [string, object, object])[] = [
    ['/v1/brands', { name: 'Late' }, {}],
    ['/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_brands', arguments: {} } }, ACCEPT],
  ];

  it.for(parked)('is refused at %s when its connection ends', async ([path, body, headers], { world }) => {
    const key = await world.newKey();
    const sent = request({
      host: '127.0.0.1',
      port: new URL(world.root).port,
      method: 'POST',
      path,
      headers: {
        ...headers,
        Host: new URL(world.config.rootUrl).host,
        Authorization: `Bearer ${key}`,
        'Content-Type': 'application/json',
        Expect: '100-continue',
      },
    });
    const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
    sent.flushHeaders();
    await once(sent, 'continue');
    const input = { connection_id: await connectionOf(world, key) };
    expect((await call(world, 'end_connection', input, { key: await dashboardToken(world) })).ok).toBe(true);
    sent.end(JSON.stringify(body));
    const [answer] = await answered;
    answer.resume();
    expect(answer.statusCode).toBe(401);
  });
});

describe('list_connections', () => {
  it('has every key and app with what it may do', async () => {
    const { world } = await openAuthWorld();
    const browser = await setUp(world);
    await accessToken(world, browser);
    const key = await leashedKey(world, 'answer', { caps: { moderate: 3 } });
    const all = await listed(world);
    expect(all.map(({ kind, preset }: { kind: string; preset: string }) => [kind, preset])).toEqual([
      ['oauth', 'full'],
      ['key', 'answer'],
      ['key', 'full'],
    ]);
    expect(all[0]).toMatchObject({ name: 'Assistant', host: 'app.example.org', waiting: 0 });
    expect(all[1]).toMatchObject({ id: await connectionOf(world, key), caps: { moderate: 3, message: 100 } });
  });
});

describe('an app that cannot renew its access any more', () => {
  it('is listed and can be ended as long as it can act', async () => {
    const { world, move } = await openAuthWorld();
    const browser = await setUp(world);
    const { client, page } = await askConsent(world, browser);
    const code = (await decide(browser, page, 'allow')).searchParams.get('code')!;
    const tokens = (await exchange(world, client, code)).body;
    const grant = { grant_type: 'refresh_token', client_id: client };
    const renewed = (
      await world.rest('POST /oauth/token', { ...grant, refresh_token: tokens.refresh_token }, { key: null })
    ).body;
    await world.rest('POST /oauth/revoke', { client_id: client, token: renewed.refresh_token }, { key: null });
    const again = { ...grant, refresh_token: renewed.refresh_token };
    expect((await world.rest('POST /oauth/token', again, { key: null })).status).toBe(400);
    const uses = async () => (await world.rest('GET /v1/brands', undefined, { key: renewed.access_token })).status;
    const apps = async () => (await listed(world)).filter(({ kind }: { kind: string }) => kind === 'oauth');
    expect([await uses(), await apps()]).toEqual([200, [expect.objectContaining({ name: 'Assistant' })]]);
    const [{ id: connection_id }] = await apps();
    await callThrough(world, 'rest', 'end_connection', { connection_id }, { key: await dashboardToken(world) });
    expect([await uses(), await apps()]).toEqual([401, []]);
    await accessToken(world, browser);
    const [{ id }] = await apps();
    await world.product.store.write(({ db }) =>
      db
        .updateTable('oauth_records')
        .set({ spent_at: world.clock.now() })
        .where('model', '=', 'RefreshToken')
        .execute(),
    );
    expect(await apps(), 'while it renews').toEqual([expect.objectContaining({ id })]);
    move(31 * 86_400_000);
    expect(await apps()).toEqual([]);
  });
});

describeStores('end_connection', { kinds: ['file', 'postgres'] }, (stores) => {
  it('ends a key in every process', async () => {
    const store = await stores.place();
    const first = await makeWorld({ store });
    const key = await first.newKey();
    const second = await makeWorld({ store, after: first });
    const uses = (world: World) => world.rest('GET /v1/brands', undefined, { key });
    expect([(await uses(first)).status, (await uses(second)).status]).toEqual([200, 200]);
    const connection_id = await connectionOf(first, key);
    const done = await callThrough(
      first,
      'rest',
      'end_connection',
      { connection_id },
      { key: await dashboardToken(first) },
    );
    expect(done.body).toMatchObject({ success: true, id: connection_id });
    // Within a second on a machine with nothing else to do; here only that it comes to pass.
    await vi.waitFor(async () => expect((await uses(second)).status).toBe(401), { timeout: 20_000 });
    expect((await uses(first)).status).toBe(401);
    expect((await listed(first)).some(({ id }: { id: string }) => id === connection_id)).toBe(false);
  });
});

/** Allows what a page of consent asks for, with these fields. */
const allow = (browser: Browser, page: Shown, fields: object) =>
  browser.submit(page, { decision: 'allow', ...fields }, /action="(\/oauth\/consent\/[^"]+)"/.exec(page.text)![1]);

/** Follows what a consent answered to the client; answers the token of the app. */
async function tokenAfter(world: World, browser: Browser, client: string, answered: Shown): Promise<string> {
  let shown = answered;
  for (let hops = 0; hops < 5 && shown.headers.location?.startsWith('/'); hops++) shown = await browser.follow(shown);
  const code = new URL(shown.headers.location!).searchParams.get('code')!;
  return (await exchange(world, client, code)).body.access_token as string;
}

/** Consents in a browser with these fields; answers the token of the app. */
async function consent(world: World, browser: Browser, fields: object): Promise<string> {
  const { client, page } = await askConsent(world, browser);
  return tokenAfter(world, browser, client, await allow(browser, page, fields));
}

const presetOf = async (world: World, token: string) =>
  (await askTool(world.root, token, 'get_leash', {})).body.preset as string;

describe('a connection that a person consents to', () => {
  it('has the leash that was chosen, and none where none was', async () => {
    const { world } = await openAuthWorld();
    const browser = await setUp(world);
    const full = await consent(world, browser, {});
    expect((await askTool(world.root, full, 'get_leash', {})).body).toMatchObject({ preset: 'full' });
    expect(await world.product.store.db.selectFrom('connections').select('id').execute()).toEqual([]);
    expect(await toolsOf(world, full)).toBe(await toolsOf(world, world.key));
    const asking = await consent(world, browser, { preset: 'ask', brand_ids: world.brandId });
    expect((await askTool(world.root, asking, 'get_leash', {})).body).toMatchObject({ preset: 'ask' });
    await expectRefusal(callThrough(world, 'rest', 'list_keys', {}, { key: asking }), 'auth.insufficient_scope');
  });

  it('is proposed what the operator set', async () => {
    const { world } = await openAuthWorld({ env: { CONSENT_PRESET: 'ask' } });
    const { page } = await askConsent(world, await setUp(world));
    expect(page.text).toMatch(/name="preset" value="ask" required checked/);
    expect(page.text.match(/type="radio"/g)).toHaveLength(5);
  });

  it('has what was proposed where the form leaves that out, and none that cannot be', async () => {
    const { world } = await openAuthWorld({ env: { CONSENT_PRESET: 'read' } });
    const browser = await setUp(world);
    const { client, page } = await askConsent(world, browser);
    expect(await allow(browser, page, { preset: 'most' })).toMatchObject(says(400, 'There is no choice most.'));
    const other = await allow(browser, page, { preset: 'ask', brand_ids: 'brd_none' });
    expect(other).toMatchObject(says(400, 'There is no brand brd_none.'));
    const token = await tokenAfter(world, browser, client, await allow(browser, page, {}));
    expect(await presetOf(world, token)).toBe('read');
  });

  it('has the shorter leash of two answers to one request', async () => {
    const { world } = await openAuthWorld();
    const browser = await setUp(world);
    const { client, page } = await askConsent(world, browser);
    await allow(browser, page, { preset: 'ask' });
    const token = await tokenAfter(world, browser, client, await allow(browser, page, { preset: 'read' }));
    expect(await presetOf(world, token)).toBe('read');
  });

  it('is not widened by another consent unless the password is known', async () => {
    const { world } = await openAuthWorld();
    const browser = await setUp(world);
    const { client, page } = await askConsent(world, browser);
    await tokenAfter(world, browser, client, await allow(browser, page, { preset: 'draft' }));
    const again = await browser.follow(await begin(browser, client));
    expect(again.words).toContain('Allowed so far Prepare drafts');
    expect(again.text).toMatch(/name="preset" value="draft" required checked/);
    const refused = await allow(browser, again, { preset: 'full' });
    expect(refused).toMatchObject(says(400, 'Your password is wrong'));
    expect(refused.text).toMatch(/name="preset" value="full" required checked/);
    const wider = await allow(browser, refused, { preset: 'full', password: OWNER.password });
    expect(await presetOf(world, await tokenAfter(world, browser, client, wider))).toBe('full');
    const third = await browser.follow(await begin(browser, client));
    expect(await presetOf(world, await tokenAfter(world, browser, client, await allow(browser, third, {})))).toBe(
      'draft',
    );
  });

  it('is no wider than everything, whose caps do not count', async () => {
    const { world } = await openAuthWorld({ env: { CONSENT_PRESET: 'read' } });
    const browser = await setUp(world);
    const { client, page } = await askConsent(world, browser);
    await tokenAfter(world, browser, client, await allow(browser, page, { preset: 'full' }));
    const [{ id: connection_id }] = await listed(world);
    const limits = { connection_id, preset: 'full', caps: { message: 1, comment: 1, moderate: 1 } };
    const set = await callThrough(world, 'rest', 'set_leash', limits, { key: await dashboardToken(world) });
    expect(set.ok).toBe(true);
    const again = await browser.follow(await begin(browser, client));
    const allowed = await allow(browser, again, { preset: 'answer' });
    expect(await presetOf(world, await tokenAfter(world, browser, client, allowed))).toBe('answer');
  });

  it('stays limited to a brand that was deleted until somebody allows more', async () => {
    const { world } = await openAuthWorld();
    const browser = await setUp(world);
    const brand = (await call(world, 'create_brand', { name: 'Gone' })).body.id as string;
    await consent(world, browser, { preset: 'read', brand_ids: brand });
    await call(world, 'delete_brand', { brand_id: brand, confirm: 'Gone' });
    const [{ id }] = await listed(world);
    const path = `/dashboard/assistants/${id}`;
    const page = await browser.open(path);
    expect(page.text).toMatch(new RegExp(`value="${brand}" checked[^]*${brand} \\(deleted\\)`));
    const kept = await browser.submit(page, { preset: 'read', brand_ids: brand }, path);
    expect(kept.headers.location).toBe('/dashboard/assistants');
    expect((await listed(world))[0].brand_ids).toEqual([brand]);
    const password_hash = null;
    await world.product.store.write(({ db }) => db.updateTable('users').set({ password_hash }).execute());
    const wider = await browser.submit(page, { preset: 'read' }, path);
    expect(wider).toMatchObject(says(400, 'you have none'));
  });

  it('is widened by whoever knows the password alone, and narrowed by whoever is signed in', async () => {
    const { world } = await openAuthWorld();
    const browser = await setUp(world);
    const token = await consent(world, browser, { preset: 'read' });
    const [{ id }] = await listed(world);
    const path = `/dashboard/assistants/${id}`;
    const page = await browser.open(path);
    expect([page.status, world.log.filter((l) => l.includes('unexpected'))]).toEqual([200, []]);
    const widen = (password: string) => browser.submit(page, { preset: 'answer', password }, path);
    expect((await widen('')).words).toContain('Your password is wrong');
    expect((await widen('wrong password')).status).toBe(400);
    expect((await widen(OWNER.password)).headers.location).toBe('/dashboard/assistants');
    expect((await askTool(world.root, token, 'get_leash', {})).body).toMatchObject({ preset: 'answer' });
    expect((await browser.submit(page, { preset: 'draft' }, path)).headers.location).toBe('/dashboard/assistants');
    expect((await askTool(world.root, token, 'get_leash', {})).body).toMatchObject({ preset: 'draft' });
  });
});
