import { DAY } from '#kernel/clock.ts';
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, vi } from 'vitest';
import { inShort } from '#engine/audit/arguments.ts';
import { askConsent, decide, exchange, openAuthWorld } from '../../harness/calls/authorize.ts';
import { BEHIND_PROXY, OWNER, setUp, signInFrom } from '../../harness/calls/browser.ts';
import { dashboardToken, describeDashboardCallers } from '../../harness/calls/dashboard.ts';
import { connectionOf, leashedKey } from '../../harness/calls/leash.ts';
import { callThrough, expectRefusal, type Reply } from '../../harness/calls/operations.ts';
import { describeStores } from '../../harness/stores/stores.ts';
import { it, makeWorld, type Json, type World } from '../../harness/world.ts';

afterEach(() => void vi.useRealTimers());

describeDashboardCallers('list_audit');

const call = (world: World, name: string, input: object, key?: string): Promise<Reply> =>
  callThrough(world, 'rest', name, { ...input }, key === undefined ? {} : { key });
const audit = async (world: World, filter: object = {}) =>
  (await call(world, 'list_audit', filter, await dashboardToken(world))).body;
/** What was written down, the oldest first. */
const rows = async (world: World, filter: object = {}): Promise<Json[]> =>
  (await audit(world, filter)).data.toReversed();
const told = ({ tool, verdict, status, code }: Json) => [tool, verdict, status, code];
const draftOf = (account: { id: string }, text = 'Hello') => ({ text, account_ids: [account.id] });

describeStores('the audit', (stores) => {
  it('has a row for every effect, verdict, decision and end, and none for reads', async () => {
    const world = await makeWorld({ store: await stores.place() });
    const account = await world.connect();
    const key = await leashedKey(world, 'ask');
    const connection_id = await connectionOf(world, key);
    const draft = (await call(world, 'create_post', draftOf(account), key)).body;
    const held = (await call(world, 'create_post', { ...draftOf(account, 'Out'), publish_now: true }, key)).body;
    await call(world, 'list_posts', {}, key);
    await expectRefusal(call(world, 'create_brand', { name: 'Mine' }, key), 'auth.leash_denied', { act: 'admin' });
    expect((await world.mcp('create_brand', { name: 'Mine' }, { key })).isError).toBe(true);
    const refused = await rows(world, { connection_id, tool: 'create_brand' });
    expect(refused.map((row) => row.arguments)).toEqual([{}, {}]);
    world.clock.move(1000);
    const owner = await dashboardToken(world);
    const { etag } = (await call(world, 'get_action', { action_id: held.id }, owner)).body;
    await call(world, 'approve_action', { action_id: held.id, etag }, owner);
    await world.settle();
    const post = (await call(world, 'list_posts', { status: ['published'] })).body.data[0];
    expect(await rows(world, { connection_id })).toMatchObject([
      { tool: 'create_post', act: 'draft', verdict: 'allow', status: 201, effect_id: draft.id, caller_kind: 'key' },
      { tool: 'create_post', act: 'post', verdict: 'hold', status: 202, effect_id: null, action_id: held.id },
      { tool: 'create_brand', act: 'admin', verdict: 'deny', status: 403, code: 'auth.leash_denied', facade: 'rest' },
      { tool: 'create_brand', act: 'admin', verdict: 'deny', status: 403, code: 'auth.leash_denied', facade: 'mcp' },
      { tool: 'create_post', verdict: 'approved', facade: 'job', effect_id: post.id, action_id: held.id },
    ]);
    const decided = await rows(world, { tool: 'approve_action' });
    expect(decided).toMatchObject([{ verdict: 'allow', action_id: held.id, client: 'Owner', user_id: world.userId }]);
    expect((await rows(world, { connection_id }))[0]!.arguments).toEqual(draftOf(account));
  });

  it('has the first 20 refusals a minute of each operation', async () => {
    const world = await makeWorld({ store: await stores.place() });
    const key = await leashedKey(world, 'read');
    const connection_id = await connectionOf(world, key);
    const refuse = async (name: string, times: number) => {
      for (let at = 0; at < times; at += 1) await call(world, name, { name: 'Mine' }, key);
    };
    const counted = async (tool: string) => (await rows(world, { connection_id, tool })).length;
    await refuse('create_brand', 25);
    await refuse('create_key', 1);
    expect([await counted('create_brand'), await counted('create_key')]).toEqual([20, 1]);
    world.clock.move(60_000);
    await refuse('create_brand', 1);
    expect(await counted('create_brand')).toBe(21);
  });

  it('still has the row of what was under way when the process died', async () => {
    const bare = await stores.open();
    let isDead = false;
    const write: typeof bare.write = async (...args) => {
      if (isDead) throw new Error('the process is dead');
      const result = await bare.write(...args);
      isDead = (await bare.db.selectFrom('posts').select('id').execute()).length > 0;
      return result;
    };
    const world = await makeWorld({ surroundings: { store: { ...bare, write } } });
    const account = await world.connect();
    const key = await leashedKey(world, 'draft');
    await call(world, 'create_post', draftOf(account), key);
    expect(await bare.db.selectFrom('posts').select('id').execute()).toHaveLength(1);
    isDead = false;
    expect(await rows(world, { act: 'draft' })).toMatchObject([
      { tool: 'create_post', verdict: 'allow', status: null },
    ]);
  });

  it('is kept for 400 days', async () => {
    const world = await makeWorld({ store: await stores.place() });
    await call(world, 'create_key', { name: 'k' });
    const kept = () => world.product.store.db.selectFrom('audit').select('id').execute();
    await world.pass(399 * DAY);
    expect(await kept()).toHaveLength(1);
    await world.pass(2 * DAY);
    expect(await kept()).toHaveLength(0);
  });
});

describe('the audit', () => {
  it('has nothing of what a key without a leash does, but for what it manages', async ({ world, account }) => {
    await call(world, 'create_post', { ...draftOf(account), publish_now: true });
    expect(await rows(world)).toEqual([]);
    const { id } = (await call(world, 'create_key', { name: 'another' })).body;
    await call(world, 'revoke_key', { key_id: id });
    expect((await rows(world)).map(told)).toEqual([
      ['create_key', 'allow', 201, null],
      ['revoke_key', 'allow', 200, null],
    ]);
  });

  it('has what a person did in the dashboard, and no drafts', async ({ world, account }) => {
    const person = await dashboardToken(world);
    const { id } = (await call(world, 'create_post', draftOf(account), person)).body;
    await call(world, 'update_post', { post_id: id, text: 'Better' }, person);
    expect(await rows(world)).toEqual([]);
    await call(world, 'publish_post', { post_id: id }, person);
    await call(world, 'create_post', { ...draftOf(account, 'At once'), publish_now: true }, person);
    expect(await rows(world)).toMatchObject([
      { tool: 'publish_post', act: 'post', verdict: 'allow', client: 'Owner', user_id: world.userId },
      { tool: 'create_post', act: 'post', verdict: 'allow', client: 'Owner', connection_id: null },
    ]);
  });

  it('has what an app did without a leash, and who allowed it', async () => {
    const { world } = await openAuthWorld();
    const browser = await setUp(world);
    const { client, page } = await askConsent(world, browser);
    const code = (await decide(browser, page, 'allow')).searchParams.get('code')!;
    const { access_token } = (await exchange(world, client, code)).body;
    await call(world, 'list_posts', {}, access_token);
    const { id } = (await call(world, 'create_brand', { name: 'Bread' }, access_token)).body;
    const [setUpRow, allowed, made, ...others] = await rows(world);
    expect([setUpRow, allowed, made, others]).toMatchObject([
      { tool: 'set_up', facade: 'page' },
      { tool: 'allow_app', verdict: 'allow', arguments: { client_id: client, preset: 'full' } },
      { tool: 'create_brand', caller_kind: 'oauth', verdict: 'allow', effect_id: id, client: 'Assistant' },
      [],
    ]);
    expect(made!.arguments).toEqual({ name: 'Bread' });
  });

  it('links to no page that a connection names instead of an action', async ({ world }) => {
    const key = await leashedKey(world, 'ask');
    const action_id = '../dashboard/keys?name=Mine';
    await expectRefusal(call(world, 'withdraw_action', { action_id }, key), 'resource.not_found', {});
    const [row] = await rows(world, { tool: 'withdraw_action' });
    expect(row).toMatchObject({ status: 404, action_id: null, arguments: { action_id } });
  });

  it('is listed page by page, by connection, act, verdict, user and time', async ({ world, account }) => {
    const [one, other] = [await leashedKey(world, 'draft'), await leashedKey(world, 'draft')];
    const start = world.clock.now();
    for (const [nth, key] of [one, other, one].entries()) {
      await call(world, 'create_post', draftOf(account, `${nth}`), key);
      world.clock.move(1000);
    }
    await call(world, 'delete_media', { media_id: 'med_1' }, one);
    const texts = async (filter: object) => (await rows(world, filter)).map((row) => row.arguments.text);
    const mine = { connection_id: await connectionOf(world, one) };
    expect(await texts(mine)).toEqual(['0', '2', undefined]);
    expect(await texts({ act: 'draft' })).toEqual(['0', '1', '2']);
    expect(await texts({ ...mine, verdict: 'deny' })).toEqual([undefined]);
    expect(await texts({ user_id: 'usr_other' })).toEqual([]);
    const at = (ms: number) => new Date(start + ms).toISOString();
    expect(await texts({ act: 'draft', since: at(1000), until: at(2000) })).toEqual(['1']);
    const first = await audit(world, { act: 'draft', limit: 2 });
    expect(first.data.map((row: Json) => row.arguments.text)).toEqual(['2', '1']);
    const second = await audit(world, { limit: 2, cursor: first.next_cursor });
    expect([second.data.map((row: Json) => row.arguments.text), second.next_cursor]).toEqual([['0'], '']);
    await expectRefusal(
      call(world, 'list_audit', { verdict: 'no' }, await dashboardToken(world)),
      'validation.field_invalid',
      { field: 'verdict' },
    );
  });

  it('shows nobody the rows of another workspace', async ({ world }) => {
    await call(world, 'create_key', { name: 'k' });
    const { userId } = (await world.product.modules.users.create('bob@example.org', 'Bob'))!;
    const theirs = await dashboardToken(world, userId);
    expect((await call(world, 'list_audit', {}, theirs)).body.data).toEqual([]);
  });
});

describe('signing in', () => {
  const lines = (world: World, message: string) =>
    world.log.map((line): Json => JSON.parse(line)).filter(({ msg }) => msg === message);

  it('is written down with the address of the client, and so is failing to', async () => {
    const world = await makeWorld(BEHIND_PROXY);
    const browser = await setUp(world);
    const wrong = { ...OWNER, password: 'not this one at all' };
    await signInFrom(world, '203.0.113.7', wrong);
    await signInFrom(world, '203.0.113.8', { ...wrong, email: 'nobody@example.org' });
    await signInFrom(world, '203.0.113.9', OWNER);
    const page = await browser.open('/dashboard/password');
    const change = { current: 'not this one', password: 'a better horse', repeated: 'a better horse' };
    await browser.submit(page, change, '/dashboard/password');
    await browser.submit(page, { ...change, current: OWNER.password }, '/dashboard/password');
    await browser.submit(await browser.open('/sign-out'), {}, '/sign-out');
    const written = await rows(world);
    expect(written.map(({ tool, verdict, address }) => [tool, verdict, address])).toEqual([
      ['set_up', 'allow', '127.0.0.1'],
      ['sign_in', 'deny', '203.0.113.7'],
      ['sign_in', 'allow', '203.0.113.9'],
      ['change_password', 'deny', '127.0.0.1'],
      ['change_password', 'allow', '127.0.0.1'],
      ['sign_out', 'allow', '127.0.0.1'],
    ]);
    expect(written.map(({ caller_kind }) => caller_kind)).toContain('visitor');
    // Of an address that nobody has, as much is written, and nothing left.
    const { db } = world.product.store;
    expect(await db.selectFrom('audit').select('id').where('user_id', 'is', null).execute()).toEqual([]);
    expect(lines(world, 'sign-in failed').map(({ level, address }) => [level, address])).toEqual([
      ['warn', '203.0.113.7'],
      ['warn', '203.0.113.8'],
    ]);
    const filter = readFileSync('docs/examples/fail2ban/filter.conf', 'utf8');
    const start = /^_start = (.+)$/m.exec(filter)![1]!;
    const failregex = /^failregex = (.+)$/m
      .exec(filter)![1]!
      .replace('%(_start)s', start)
      .replaceAll('<ADDR>', '(?<host>[\\d.:a-f]+)');
    const found = world.log.flatMap((line) => new RegExp(failregex).exec(line)?.groups?.['host'] ?? []);
    expect(found).toEqual(['203.0.113.7', '203.0.113.8']);
    const date = /^datepattern = (.+)$/m
      .exec(filter)![1]!
      .replace('%%Y-%%m-%%dT%%H:%%M:%%S', '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d');
    expect(world.log.every((line) => new RegExp(date).test(line))).toBe(true);
    expect(lines(world, 'signed in')).toMatchObject([{ level: 'info', address: '203.0.113.9', user_id: world.userId }]);
    for (const secret of [OWNER.password, wrong.password, 'a better horse']) {
      expect(JSON.stringify(written) + world.log.join('\n')).not.toContain(secret);
    }
  });
});

describe('arguments in short', () => {
  it('have texts of 200 characters, whole ids, and no secret', () => {
    const long = 'word '.repeat(100);
    const wamid = `wamid.${'HBgLMTY1MDM4Nzk0MzkVAgARGBI5'.repeat(3)}`;
    expect(
      inShort({
        text: long,
        message_id: wamid,
        account_ids: [wamid],
        metadata: { app_password: 'abcd', handle: 'anna', botToken: '1:x' },
        code: '123456',
        pin: '000000',
        client_secret: 's',
        url: 'https://files.example.org/a.png?X-Amz-Signature=abc',
        note: `key rostra_key_0123456789abcdef, Bearer abcdefghijkl`,
        publish_now: true,
        scheduled_at: null,
        file: (async function* none() {})(),
      }),
    ).toEqual({
      text: expect.stringMatching(/^(word ){39}word…$/),
      message_id: wamid,
      account_ids: [wamid],
      metadata: { app_password: '[cut]', handle: 'anna', botToken: '[cut]' },
      code: '[cut]',
      pin: '[cut]',
      client_secret: '[cut]',
      url: 'https://files.example.org/a.png?…',
      note: 'key rostra_key_[cut], Bearer [cut]',
      publish_now: true,
      scheduled_at: null,
      file: '[file]',
    });
  });

  it('say where a list or a record was cut', () => {
    const [list, record] = [[...Array(60).keys()], Object.fromEntries([...Array(60).keys()].map((n) => [`n${n}`, n]))];
    expect(inShort({ list })).toEqual({ list: [...list.slice(0, 50), '…'] });
    expect(Object.entries(inShort({ record })['record'] as object)).toEqual([
      ...Object.entries(record).slice(0, 50),
      ['…', '…'],
    ]);
    expect(inShort({ list: [1, 2] })).toEqual({ list: [1, 2] });
  });

  it('are little, whatever is sent', () => {
    const deep = Array.from({ length: 40 }).reduce<object>((inner) => ({ inner }), {});
    const wide = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`name${n}`, 'x'.repeat(500)]));
    const rowsOf = Array.from({ length: 1000 }, () => wide);
    expect(JSON.stringify(inShort({ deep, wide, rowsOf })).length).toBeLessThan(20_000);
    const nested = (value: unknown) => [0, 1].reduce((inner) => Array.from({ length: 50 }, () => inner), [value]);
    for (const value of [1.5, true, null, '', [], {}, { '': 0 }, 'password']) {
      expect(
        JSON.stringify(inShort({ a: nested(value), b: [nested(value)], c: Array(50).fill(nested(value)) })).length,
      ).toBeLessThan(60_000);
    }
  });
});
