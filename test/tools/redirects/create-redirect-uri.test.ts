import { describe, expect } from 'vitest';
import { describeStores } from '../../harness/stores/stores.ts';
import { it, makeWorld, type World } from '../../harness/world.ts';
import { dashboardToken, describeDashboardCallers } from '../../harness/calls/dashboard.ts';
import { call, callMcp, expectInvalid, expectRequired } from '../../harness/calls/operations.ts';
import { credentialsOf } from '../../harness/platforms/bluesky-people.ts';

const APP = 'https://app.example.org/back';
const ELSEWHERE = 'https://elsewhere.example/';

describeDashboardCallers('create_redirect_uri', { uri: APP });

const create = async (world: World, input: Readonly<Record<string, unknown>>) =>
  call(world, 'create_redirect_uri', input, { key: await dashboardToken(world) });
const connect = (world: World, redirect_uri?: string) =>
  call(world, 'connect_account', { platform: 'bluesky', ...(redirect_uri !== undefined && { redirect_uri }) });
const REFUSED = { ok: false, status: 400, code: 'auth.oauth.invalid_redirect', meta: { field: 'redirect_uri' } };

describe('create_redirect_uri', () => {
  it('answers what it registered, as it was sent', async ({ world }) => {
    const { status, body } = await create(world, { uri: 'https://App.Example.org:443/Back?x=1', label: ' Mine ' });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^rdr_/),
      uri: 'https://App.Example.org:443/Back?x=1',
      label: 'Mine',
      created_at: '2026-01-15T09:00:00.000Z',
    });
  });

  it.each([
    'http://localhost:3000/cb',
    'http://127.0.0.1/cb',
    'http://[::1]:8080/',
    `https://a.example/${'x'.repeat(2030)}`,
  ])('takes %s', async (uri) => {
    const world = await makeWorld();
    expect((await create(world, { uri })).status).toBe(201);
  });

  it.each([
    'http://app.example.org/',
    'https://user@app.example.org/',
    'https://:pw@app.example.org/',
    'https://@app.example.org/',
    'https:/@app.example.org/',
    'https://app.example.org/#here',
    'https://app.example.org/#',
    'https://203.0.113.7/',
    'https://[2001:db8::1]/',
    'javascript:alert(1)',
    'data:text/html,x',
    '/relative',
    'https://',
    ' https://app.example.org/',
    'https://app.example.org/\n',
    'https://app.example.org\\@evil.example/',
    `https://a.example/${'x'.repeat(2031)}`,
  ])('refuses %j', async (uri) => {
    const world = await makeWorld();
    await expectInvalid(create(world, { uri }), 'uri');
    if (uri.length <= 2048) await expectInvalid(connect(world, uri), 'redirect_uri');
  });

  it('wants an address, and a label of a hundred characters at most', async ({ world }) => {
    await expectRequired(create(world, {}), 'uri');
    await expectRequired(create(world, { uri: '' }), 'uri');
    await expectInvalid(create(world, { uri: APP, label: 'x'.repeat(101) }), 'label');
  });

  it('takes each address once per workspace', async ({ world }) => {
    await create(world, { uri: APP });
    const twice = { status: 400, code: 'validation.redirect_uri_duplicate' };
    expect(await create(world, { uri: APP, label: 'again' })).toMatchObject(twice);
    const other = (await world.product.modules.users.create('other@example.org', 'Other'))!;
    const key = await dashboardToken(world, other.userId);
    expect((await call(world, 'create_redirect_uri', { uri: APP }, { key })).status).toBe(201);
  });
});

describe('registered addresses', () => {
  it('are the only ones a connection may end at, to the letter', async ({ world }) => {
    expect((await connect(world, ELSEWHERE)).status).toBe(202);
    await create(world, { uri: APP });
    expect((await connect(world, APP)).status).toBe(202);
    for (const uri of [
      `${APP}/`,
      `${APP}?x=1`,
      'https://APP.example.org/back',
      'https://app.example.org:443/back',
      ELSEWHERE,
    ])
      expect(await connect(world, uri)).toMatchObject(REFUSED);
    const input = { platform: 'bluesky', redirect_uri: ELSEWHERE };
    expect(await call(world, 'get_oauth_url', input)).toMatchObject(REFUSED);
    expect(await callMcp(world, 'connect_account', input)).toMatchObject({ code: REFUSED.code });
    // Our own result page needs no registration.
    expect((await connect(world)).status).toBe(202);
  });

  it('hold for connecting again, and for credentials in the call', async ({ world, account }) => {
    await create(world, { uri: APP });
    const restart = (redirect_uri: string) => call(world, 'get_oauth_url', { account_id: account.id, redirect_uri });
    expect((await restart(APP)).ok).toBe(true);
    expect(await restart(ELSEWHERE)).toMatchObject(REFUSED);
    const direct = { platform: 'bluesky', redirect_uri: ELSEWHERE, metadata: credentialsOf(world, 1) };
    expect(await call(world, 'connect_account', direct)).toMatchObject(REFUSED);
    const inside = { platform: 'bluesky', metadata: { redirect_uri: ELSEWHERE } };
    expect(await call(world, 'connect_account', inside)).toMatchObject(REFUSED);
    expect((await call(world, 'list_accounts')).body.count).toBe(1);
  });

  it('bind their own workspace alone', async ({ world }) => {
    await create(world, { uri: APP });
    const { key } = await world.stranger();
    const input = { platform: 'bluesky', redirect_uri: 'https://x.example/' };
    expect((await call(world, 'connect_account', input, { key })).status).toBe(202);
  });
});

describeStores('an address sent many times at once', (stores) => {
  it('is registered once', async () => {
    const world = await makeWorld({ store: await stores.place() });
    const long = `https://a.example/${Array.from({ length: 500 }, (_, n) => n.toString(36)).join('/')}`.slice(0, 2048);
    const ends = await Promise.all(Array.from({ length: 8 }, () => create(world, { uri: long })));
    expect(ends.map(({ status }) => status).toSorted((a, b) => a! - b!)).toEqual([201, ...Array<number>(7).fill(400)]);
  });
});
