import { createServer } from 'node:http';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { sql } from 'kysely';
import { afterEach, describe, expect, vi } from 'vitest';
import { loadAction, moveAction } from '#db/leash/actions.ts';
import { isHoldable } from '#call/tool.ts';
import { askConsent, decide, exchange, openAuthWorld } from '../../harness/calls/authorize.ts';
import { formsOf, OWNER, sessionOf, setUp, type Browser } from '../../harness/calls/browser.ts';
import { dashboardToken } from '../../harness/calls/dashboard.ts';
import { connectionOf, givePassword, leash, leashedKey } from '../../harness/calls/leash.ts';
import { block, callThrough, expectRefusal, toolOf, type Reply } from '../../harness/calls/operations.ts';
import { png } from '../../harness/media-samples.ts';
import { serveTest } from '../../harness/sockets.ts';
import { describeStores } from '../../harness/stores/stores.ts';
import { makeStage } from '../../harness/worlds/social.ts';
import { it, makeWorld, type World } from '../../harness/world.ts';
import { businessStage } from '../whatsapp/stage.ts';

afterEach(() => void vi.useRealTimers());

const call = (world: World, name: string, input: object, key?: string): Promise<Reply> =>
  callThrough(world, 'rest', name, { ...input }, key === undefined ? {} : { key });
const publish = (world: World, account: { id: string }, key: string, text = 'Hello') =>
  call(world, 'create_post', { text, account_ids: [account.id], publish_now: true }, key);
const postsOf = async (world: World) =>
  (await call(world, 'list_posts', {})).body.data as { text: string; status: string }[];
const person = async (world: World, name: string, id: string, more: object = {}) => {
  const key = await dashboardToken(world);
  const { etag } = (await call(world, 'get_action', { action_id: id }, key)).body;
  return call(world, name, { action_id: id, etag, ...more }, key);
};

describeStores('an action that is held', (stores) => {
  it('is done once when a person agrees, and its repeat answers what it came to', async () => {
    const world = await makeWorld({ store: await stores.place() });
    const account = await world.connect();
    const key = await leashedKey(world, 'ask');
    const held = await publish(world, account, key);
    expect([held.status, held.body]).toEqual([
      202,
      {
        id: expect.stringMatching(/^act_/),
        status: 'held',
        success: false,
        held: {
          act: 'post',
          reasons: ['acts.post'],
          review_url: `${world.root}/review/${held.body.id}`,
          expires_at: '2026-01-18T09:00:00.000Z',
          next: expect.any(String),
        },
      },
    ]);
    for (let n = 0; n < 4; n += 1) expect((await publish(world, account, key)).body.id).toBe(held.body.id);
    expect(await postsOf(world)).toEqual([]);
    expect((await call(world, 'list_actions', {}, key)).body.count).toBe(1);
    const { body: agreed } = await person(world, 'approve_action', held.body.id);
    // It may have begun by the time that it is read for the answer.
    expect(['approved', 'running', 'done']).toContain(agreed.state);
    await world.settle();
    expect(await postsOf(world)).toMatchObject([{ text: 'Hello', status: 'published' }]);
    const action = (await call(world, 'get_action', { action_id: held.body.id }, key)).body;
    expect(action).toMatchObject({ state: 'done', decided_by: 'Owner', outcome: { status: 'published' }, error: null });
    expect((await publish(world, account, key)).body).toMatchObject({ status: 'published', replayed: true });
    expect(await postsOf(world)).toHaveLength(1);
    expect(await person(world, 'approve_action', held.body.id)).toMatchObject({
      status: 409,
      code: 'resource.conflict',
    });
  });

  it('of a cap is held above it, also when all come at once', async () => {
    const { world, connect } = await makeStage({}, [], await stores.place());
    const { id: account_id } = await connect('twitter', 'one');
    const key = await leashedKey(world, 'answer', { caps: { moderate: 5 } });
    const on = { account_id, post_id: 'post-1' };
    const likes = Array.from({ length: 8 }, (_, n) => call(world, 'like_comment', { ...on, comment_id: `c${n}` }, key));
    const reasons = (await Promise.all(likes))
      .filter(({ status }) => status === 202)
      .map(({ body }) => body.held.reasons);
    expect(reasons).toEqual([['caps.moderate'], ['caps.moderate'], ['caps.moderate']]);
    expect((await call(world, 'get_leash', {}, key)).body).toMatchObject({
      caps: { moderate: { left: 0 } },
      waiting: 3,
    });
  });
});

describeStores('list_actions', (stores) => {
  it('shows a key that decides those of its brands, however many others there are', async () => {
    const world = await makeWorld({ store: await stores.place() });
    const account = await world.connect(0, world.brandId);
    const other = (await call(world, 'create_brand', { name: 'Other' })).body.id;
    const key = await leashedKey(world, 'ask', { brand_ids: [world.brandId] });
    const [first, second] = [await publish(world, account, key), await publish(world, account, key, 'Second')];
    const { store } = world.product;
    const row = { ...(await loadAction(store.db, second.body.id))!, brand_ids: [other] };
    const later = Array.from({ length: 200 }, (_, at) => ({
      ...row,
      id: `act_${String(at).padStart(26, '0')}`,
      open_key: null,
      created_at: row.created_at + 1 + at,
    }));
    await store.write(async ({ db }) => {
      await db.deleteFrom('actions').where('id', '=', row.id).execute();
      await db
        .insertInto('actions')
        .values([row, ...later])
        .execute();
    });
    const deciding = await world.newKey();
    const password = await givePassword(world);
    await leash(world, deciding, { preset: 'ask', decides: true, brand_ids: [world.brandId], password });
    const { data } = (await call(world, 'list_actions', {}, deciding)).body;
    expect(data.map(({ id }: { id: string }) => id)).toEqual([first.body.id]);
    await expectRefusal(call(world, 'get_action', { action_id: second.body.id }, deciding), 'resource.not_found');
  });
});

describe('approve_action and deny_action', () => {
  it('are for people and keys that decide, and never for the one who asked', async ({ world, account }) => {
    const asking = await leashedKey(world, 'ask');
    const { id } = (await publish(world, account, asking)).body;
    const etag = 'e';
    for (const key of [asking, world.key])
      await expectRefusal(call(world, 'approve_action', { action_id: id, etag }, key), 'auth.insufficient_scope');
    await expectRefusal(call(world, 'get_action', { action_id: id }, world.key), 'resource.not_found');
    const deciding = await world.newKey();
    await leash(world, deciding, { preset: 'ask', decides: true, password: await givePassword(world) });
    const own = (await publish(world, account, deciding, 'Mine')).body;
    const seen = (await call(world, 'get_action', { action_id: own.id }, deciding)).body;
    const mine = { action_id: own.id, etag: seen.etag };
    await expectRefusal(call(world, 'approve_action', mine, deciding), 'auth.insufficient_scope');
    const theirs = (await call(world, 'get_action', { action_id: id }, deciding)).body;
    const denied = { action_id: id, etag: theirs.etag, note: 'Not today' };
    expect((await call(world, 'deny_action', denied, deciding)).body).toMatchObject({
      state: 'denied',
      note: 'Not today',
    });
    expect((await call(world, 'get_action', { action_id: id }, asking)).body).toMatchObject({ note: 'Not today' });
    const mcp = await world.rest('POST /mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' }, { key: deciding });
    expect(mcp.status).toBe(403);
    await world.settle();
    expect(await postsOf(world)).toEqual([]);
  });

  it('bind to the post that was seen', async ({ world, account }) => {
    const key = await leashedKey(world, 'ask');
    const post = (await call(world, 'create_post', { text: 'Draft', account_ids: [account.id] }, key)).body;
    const held = (await call(world, 'publish_post', { post_id: post.id }, key)).body;
    const owner = await dashboardToken(world);
    const { etag } = (await call(world, 'get_action', { action_id: held.id }, owner)).body;
    await call(world, 'update_post', { post_id: post.id, text: 'Buy now' }, key);
    const late = await call(world, 'approve_action', { action_id: held.id, etag }, owner);
    expect(late).toMatchObject({ status: 409, code: 'resource.conflict', meta: { etag: expect.any(String) } });
    const again = { action_id: held.id, etag: late.meta.etag };
    expect((await call(world, 'approve_action', again, owner)).ok).toBe(true);
    await world.settle();
    expect((await call(world, 'get_action', { action_id: held.id }, key)).body).toMatchObject({ state: 'done' });
    expect(await postsOf(world)).toMatchObject([{ text: 'Buy now', status: 'published' }]);
  });

  it('bind to every post that is moved in time, and to one that is published until that has begun', async ({
    world,
    account,
  }) => {
    const key = await leashedKey(world, 'ask');
    const draft = { text: 'Draft', account_ids: [account.id] };
    const [one, two] = [await call(world, 'create_post', draft, key), await call(world, 'create_post', draft, key)];
    const at = (post: Reply) => ({ post_id: post.body.id, scheduled_at: '2026-02-01T09:00:00Z' });
    const { id } = (await call(world, 'reschedule_posts', { posts: [at(one), at(two)] }, key)).body;
    const owner = await dashboardToken(world);
    const { etag } = (await call(world, 'get_action', { action_id: id }, owner)).body;
    world.clock.move(1000);
    await call(world, 'update_post', { post_id: two.body.id, text: 'Buy now' }, key);
    await expectRefusal(call(world, 'approve_action', { action_id: id, etag }, owner), 'resource.conflict');
    expect((await person(world, 'approve_action', id)).ok).toBe(true);
    await world.settle();
    expect((await call(world, 'get_action', { action_id: id }, owner)).body).toMatchObject({ state: 'done' });

    const three = (await call(world, 'create_post', draft, key)).body;
    const asked = await call(world, 'publish_post', { post_id: three.id }, key);
    const seen = (await loadAction(world.product.store.db, asked.body.id))!;
    world.clock.move(1000);
    await call(world, 'update_post', { post_id: three.id, text: 'Buy now' }, key);
    // As a process leaves it that died before it had published anything.
    await world.product.store.write(async (tx) => {
      const begun = { state: 'running', started_at: world.clock.now(), bound_version: seen.bound_version } as const;
      await moveAction(tx.db, seen.id, 'held', begun);
      await tx.enqueue({ kind: 'run_action', key: seen.id, runAt: world.clock.now() });
    });
    await world.settle();
    const action = (await call(world, 'get_action', { action_id: seen.id }, owner)).body;
    expect(action).toMatchObject({ state: 'failed', error: { code: 'resource.conflict' } });
    expect((await postsOf(world)).map(({ status }) => status)).not.toContain('published');
  });

  it('let texts be changed, and nothing else', async ({ world, account }) => {
    const key = await leashedKey(world, 'ask');
    const { id } = (await publish(world, account, key)).body;
    const wrong = person(world, 'approve_action', id, { edits: { '/account_ids/0': 'acc_other' } });
    await expectRefusal(wrong, 'validation.field_invalid', { field: 'edits' });
    const long = person(world, 'approve_action', id, { edits: { '/text': 'x'.repeat(5000) } });
    expect((await long).ok).toBe(false);
    expect((await person(world, 'approve_action', id, { edits: { '/text': 'Good day' } })).ok).toBe(true);
    await world.settle();
    expect(await postsOf(world)).toMatchObject([{ text: 'Good day', status: 'published' }]);
  });
});

describe('a file that is named by its address', () => {
  async function scene() {
    const world = await makeWorld({ env: { ALLOW_PRIVATE_NETWORK: '127.0.0.0/8,::1/128' } });
    const account = await world.connect();
    const key = await leashedKey(world, 'ask');
    const shown = { bytes: png(3, 2), fetched: 0 };
    const server = createServer((_, res) => {
      shown.fetched += 1;
      res.writeHead(200, { 'Content-Type': 'image/png' }).end(shown.bytes);
    });
    const media = [{ source: `${await serveTest(server)}/p.png`, source_type: 'url' }];
    const input = { text: 'Look', media, account_ids: [account.id], publish_now: true };
    const filesOf = async () => (await call(world, 'list_media', {})).body.data as { id: string; width: number }[];
    return { world, key, shown, input, ask: () => call(world, 'create_post', input, key), filesOf };
  }

  it('is fetched when the call is held, once, and is what is published', async () => {
    const { world, key, shown, ask, filesOf } = await scene();
    const { id } = (await ask()).body;
    shown.bytes = png(5, 5, 7);
    expect((await ask()).body.id).toBe(id);
    const [file] = await filesOf();
    expect([shown.fetched, file!.width]).toEqual([1, 3]);
    const action = (await call(world, 'get_action', { action_id: id }, key)).body;
    expect(action.input.media).toEqual([{ source: file!.id, source_type: 'media_id' }]);
    await person(world, 'approve_action', id);
    await world.settle();
    expect((await call(world, 'get_action', { action_id: id }, key)).body).toMatchObject({ state: 'done' });
    expect(shown.fetched).toBe(1);
    expect((await call(world, 'list_posts', {})).body.data[0].media).toMatchObject([{ source: file!.id }]);
  });

  it('goes again when a person says no, and is not asked for where the rest is refused', async () => {
    const { world, key, shown, ask, filesOf } = await scene();
    const { id } = (await ask()).body;
    expect(await filesOf()).toHaveLength(1);
    expect((await person(world, 'deny_action', id)).ok).toBe(true);
    expect(await filesOf()).toEqual([]);
    const media = [{ source: 'http://127.0.0.1:9/none.png', source_type: 'url' }];
    const none = { text: 'x', media, account_ids: ['acc_none'], publish_now: true };
    await expectRefusal(call(world, 'create_post', none, key), 'account.not_found');
    expect(shown.fetched).toBe(1);
  });

  it('goes again with the connection, in time, and where what was approved has failed', async () => {
    const { world, key, ask, input, filesOf } = await scene();
    await ask();
    world.clock.move(73 * 3_600_000);
    await world.settle();
    expect(await filesOf()).toEqual([]);
    const { id } = (await ask()).body;
    await call(world, 'disconnect_account', { account_id: input.account_ids[0]! });
    const row = (await loadAction(world.product.store.db, id))!;
    await world.product.store.write(async (tx) => {
      await moveAction(tx.db, id, 'held', { state: 'approved', bound_version: row.bound_version });
      await tx.enqueue({ kind: 'run_action', key: id, runAt: world.clock.now() });
    });
    await world.settle();
    expect((await call(world, 'get_action', { action_id: id }, key)).body.state).toBe('failed');
    expect(await filesOf()).toEqual([]);
    await world.connect();
    const other = { ...input, account_ids: [(await call(world, 'list_accounts', {})).body.data[0].id] };
    expect((await call(world, 'create_post', other, key)).status).toBe(202);
    expect(await filesOf()).toHaveLength(1);
    const connection_id = await connectionOf(world, key);
    await call(world, 'end_connection', { connection_id }, await dashboardToken(world));
    await world.pass(3_600_000);
    expect(await filesOf()).toEqual([]);
  });

  it('goes again where the next one cannot be fetched', async () => {
    const { world, key, shown, input, filesOf } = await scene();
    const media = [...input.media, { source: 'http://127.0.0.1:9/none.png', source_type: 'url' }];
    const { ok } = await call(world, 'create_post', { ...input, media }, key);
    expect([ok, shown.fetched, await filesOf()]).toEqual([false, 1, []]);
  });

  it('goes later where it could not be removed', async () => {
    const { world, ask, filesOf } = await scene();
    const { id } = (await ask()).body;
    const change = (statement: string) => world.product.store.write(({ db }) => sql.raw(statement).execute(db));
    await change("create trigger stays before delete on media begin select raise(abort, 'not now'); end");
    expect((await person(world, 'deny_action', id)).ok).toBe(true);
    expect(await filesOf()).toHaveLength(1);
    await change('drop trigger stays');
    await world.pass(3_600_000);
    expect(await filesOf()).toEqual([]);
  });

  it('is fetched for nothing but the call that is held, where the same comes twice at once', async () => {
    const { ask, filesOf } = await scene();
    const ids = (await Promise.all([ask(), ask(), ask()])).map(({ body }) => body.id as string);
    expect([new Set(ids).size, (await filesOf()).length]).toEqual([1, 1]);
  });

  it('is no work of a call with an Idempotency-Key, which stays held', async () => {
    const { world, key, shown, input } = await scene();
    const send = () => world.rest('POST /v1/posts', input, { key, headers: { 'Idempotency-Key': 'k1' } });
    const [first, again] = [await send(), await send()];
    expect([first.status, again.status, again.body.id, shown.fetched]).toEqual([202, 202, first.body.id, 1]);
    expect(await postsOf(world)).toEqual([]);
  });
});

describe('what is held', () => {
  it('is a post that could be published', async ({ world, account }) => {
    const key = await leashedKey(world, 'ask');
    const { id: post_id } = (await call(world, 'create_post', { text: 'x', account_ids: [account.id] }, key)).body;
    await call(world, 'publish_post', { post_id });
    await expectRefusal(call(world, 'publish_post', { post_id }, key), 'post.state_invalid');
    await expectRefusal(call(world, 'publish_post', { post_id: 'post_none' }, key), 'post.not_found');
  });

  it('would pass, and is no file that could be another later', async ({ world, account }) => {
    const key = await leashedKey(world, 'ask');
    const tooLong = await publish(world, account, key, 'x'.repeat(5000));
    expect([tooLong.ok, tooLong.status === 202]).toEqual([false, false]);
    const media = [{ source: 'https://a.example/p.jpg', source_type: 'url' }];
    const input = { text: 'x', media, account_ids: [account.id], publish_now: true };
    await expectRefusal(call(world, 'create_post', input, key), 'validation.field_invalid', { field: 'media' });
    expect((await call(world, 'list_actions', {}, key)).body.count).toBe(0);
  });

  it('names no file by its address where an option of a platform does, and may name any link', async ({
    world,
    account,
  }) => {
    const key = await leashedKey(world, 'ask');
    const ask = (platform_data: object) =>
      call(world, 'create_post', { text: 'x', account_ids: [account.id], publish_now: true, platform_data }, key);
    const source = 'https://a.example/p.jpg';
    for (const options of [
      { instagram: { cover: { source } } },
      { pinterest: { cover: { source } } },
      { youtube: { thumbnail: { source, source_type: 'url' } } },
    ])
      await expectRefusal(ask(options), 'validation.field_invalid', { field: 'platform_data' });
    const link = 'https://a.example/page';
    for (const options of [
      { pinterest: { link } },
      { facebook: { link } },
      { instagram: { cover: { source: 'med_1', source_type: 'media_id' } } },
    ])
      expect(await ask(options)).toMatchObject({ status: 202 });
  });

  it('names no file by its address in a template', async () => {
    const { world, account } = await businessStage();
    const key = await leashedKey(world, 'ask');
    const parameters = [{ type: 'image', image: { link: 'https://a.example/p.jpg' } }];
    const template = { account_id: account.id, to: '4915112345678', template_name: 'hi', language: 'en_US' };
    const filled = { ...template, components: [{ type: 'header', parameters }] };
    await expectRefusal(call(world, 'send_whatsapp_template', filled, key), 'validation.field_invalid', {
      field: 'components',
    });
    expect(await call(world, 'send_whatsapp_template', template, key)).toMatchObject({ status: 202 });
  });

  it('is an edit that would be made as things are', async ({ world, account }) => {
    const key = await leashedKey(world, 'ask');
    const draft = { text: 'x', account_ids: [account.id] };
    const post = (await call(world, 'create_post', draft, key)).body;
    const edit = (input: object) => call(world, 'update_post', { post_id: post.id, ...input }, key);
    const scheduled_at = '2026-02-01T09:00:00Z';
    const old = { scheduled_at, if_updated_at: '2026-01-01T00:00:00Z' };
    await expectRefusal(edit(old), 'resource.conflict', { id: post.id });
    await call(world, 'update_post', { post_id: post.id, scheduled_at });
    await expectRefusal(edit({}), 'validation.field_required', { field: 'text' });
    expect(await edit({ hidden: true })).toMatchObject({ status: 202 });
    expect((await call(world, 'list_actions', {}, key)).body.count).toBe(1);
  });

  it('is answered to assistants as their list of tools says', async ({ world, account }) => {
    const key = await leashedKey(world, 'ask');
    const answers = async (path: `POST /${string}`) => {
      const { body } = await world.rest(path, { jsonrpc: '2.0', id: 1, method: 'tools/list' }, { key });
      const ajv = new Ajv2020({ strict: false, validateFormats: false });
      const tools = body.result.tools as { name: string; outputSchema: object }[];
      return new Map(tools.map(({ name, outputSchema }) => [name, ajv.compile(outputSchema)]));
    };
    const input = { text: 'Hello', account_ids: [account.id], publish_now: true };
    const ask = async () => (await world.mcp('create_post', input, { key })).body;
    const held = await ask();
    expect(held).toMatchObject({ status: 'held' });
    const said = [await answers('POST /mcp'), await answers('POST /mcp?outputs=full')];
    for (const schemas of said) {
      const holdable = [...schemas].filter(([name]) => isHoldable(toolOf(name)));
      expect(holdable.length).toBeGreaterThan(10);
      for (const [name, fits] of holdable) expect([name, fits(held), fits.errors]).toEqual([name, true, null]);
    }
    await person(world, 'approve_action', held.id);
    await world.settle();
    const done = await ask();
    expect(done).toMatchObject({ status: 'published', replayed: true });
    for (const schemas of said) {
      const fits = schemas.get('create_post')!;
      expect([fits(done), fits.errors]).toEqual([true, null]);
    }
  });

  it('is not more than fifty, and ends with its connection, when it is withdrawn, and in time', async ({
    world,
    account,
  }) => {
    const key = await leashedKey(world, 'ask');
    const ids: string[] = [];
    for (let n = 0; n < 50; n += 1) ids.push((await publish(world, account, key, `Post ${n}`)).body.id);
    await expectRefusal(publish(world, account, key, 'One more'), 'auth.leash_exhausted');
    expect((await call(world, 'withdraw_action', { action_id: ids[0]! }, key)).ok).toBe(true);
    await expectRefusal(person(world, 'approve_action', ids[0]!), 'resource.conflict');
    await expectRefusal(call(world, 'withdraw_action', { action_id: ids[1]! }, world.key), 'resource.not_found');
    world.clock.move(73 * 3_600_000);
    await expectRefusal(person(world, 'approve_action', ids[1]!), 'resource.gone');
    await world.settle();
    const later = (await publish(world, account, key, 'Later')).body.id;
    const owner = await dashboardToken(world);
    await call(world, 'end_connection', { connection_id: await connectionOf(world, key) }, owner);
    const states = (await call(world, 'list_actions', {}, owner)).body.data.map(({ id, state }: any) => [id, state]);
    expect(new Map(states)).toEqual(
      new Map([[later, 'withdrawn'], ...ids.map((id, n) => [id, n === 0 ? 'withdrawn' : 'expired'] as const)]),
    );
  });
});

/** An app that has to ask, with its tokens. */
async function askingApp(world: World, browser: Browser) {
  const { client, page } = await askConsent(world, browser);
  const code = (await decide(browser, page, 'allow')).searchParams.get('code')!;
  const { access_token, refresh_token } = (await exchange(world, client, code)).body;
  const owner = await dashboardToken(world);
  const { data } = (await call(world, 'list_connections', {}, owner)).body;
  const { id } = data.find(({ kind, preset }: any) => kind === 'oauth' && preset === 'full');
  await call(world, 'set_leash', { connection_id: id, preset: 'ask' }, owner);
  return { client, token: access_token as string, refresh_token };
}

describe('what a connection asked for', () => {
  it('is withdrawn when its key is revoked', async ({ world, account }) => {
    const key = await leashedKey(world, 'ask');
    const { id } = (await publish(world, account, key)).body;
    const owner = await dashboardToken(world);
    const revoked = (await call(world, 'list_keys', {}, owner)).body.data[0];
    expect((await call(world, 'revoke_key', { key_id: revoked.id }, owner)).ok).toBe(true);
    expect((await call(world, 'get_action', { action_id: id }, owner)).body.state).toBe('withdrawn');
  });

  it('is withdrawn when apps end with a password', async () => {
    const { world } = await openAuthWorld();
    const account = await world.connect();
    const browser = await setUp(world);
    const apps = [await askingApp(world, browser), await askingApp(world, browser)];
    for (const { token } of apps) expect((await publish(world, account, token)).status).toBe(202);
    const page = await browser.open('/dashboard/password');
    const change = { current: OWNER.password, password: 'a better horse', repeated: 'a better horse' };
    await browser.submit(page, { ...change, end_apps: 'yes' }, '/dashboard/password');
    const { data } = (await call(world, 'list_actions', {}, await dashboardToken(world))).body;
    expect(data.map(({ state }: { state: string }) => state)).toEqual(['withdrawn', 'withdrawn']);
  });

  it('cannot be approved once no token of its app is valid', async () => {
    const { world, move } = await openAuthWorld();
    const account = await world.connect();
    const { client, token, refresh_token } = await askingApp(world, await setUp(world));
    const { id } = (await publish(world, account, token)).body;
    await world.rest('POST /oauth/revoke', { client_id: client, token: refresh_token }, { key: null });
    move(3_600_000);
    await expectRefusal(person(world, 'approve_action', id), 'resource.conflict');
    expect((await person(world, 'deny_action', id)).body.state).toBe('denied');
    await world.settle();
    expect(await postsOf(world)).toEqual([]);
  });
});

describe('/review', () => {
  it('shows what is asked for, and decides by its form alone', async ({ world, account }) => {
    const key = await leashedKey(world, 'ask');
    const { id } = (await publish(world, account, key, '<b>Hi</b>')).body;
    const browser = await sessionOf(world, world.userId);
    const queue = await browser.open('/review');
    expect(queue.words).toContain('Publish a post');
    const page = await browser.open(`/review/${id}`);
    expect(page.text).toContain('&lt;b&gt;Hi&lt;/b&gt;');
    expect(page.text).not.toMatch(/<script(?![^>]* src=)|<b>Hi/);
    expect(page.words).toContain(account.name);
    const action = `/review/${id}`;
    const { etag } = formsOf(page.text).find((form) => form.action === action)!.hidden;
    expect((await browser.post(action, { decision: 'approve', etag: etag! })).status).toBe(403);
    expect((await browser.submit(page, { decision: 'approve', etag: 'old' }, action)).status).toBe(409);
    const changed = { decision: 'edited', 'edit /text': 'Hi\r\nthere' };
    expect((await browser.submit(page, changed, action)).headers.location).toBe(action);
    await world.settle();
    expect(await postsOf(world)).toMatchObject([{ text: 'Hi\nthere', status: 'published' }]);
    expect((await browser.open(action)).words).toMatch(/State Done.* by\s+Owner/);
  });

  it('keeps what was typed where it refuses, and while the payment is due denies alone', async ({ world, account }) => {
    const key = await leashedKey(world, 'ask');
    const { id } = (await publish(world, account, key)).body;
    const browser = await sessionOf(world, world.userId);
    const action = `/review/${id}`;
    const page = await browser.open(action);
    const refused = await browser.submit(page, { decision: 'deny', etag: 'old', note: 'Not "so"' }, action);
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('value="Not &quot;so&quot;"')]);
    const unknown = await browser.submit(page, { decision: 'perhaps' }, action);
    expect([unknown.status, unknown.words]).toEqual([400, expect.stringContaining('Choose what should happen.')]);
    await block(world);
    const due = await browser.submit(page, { decision: 'approve', note: 'Yes' }, action);
    expect([due.status, due.text]).toEqual([402, expect.stringContaining('value="Yes"')]);
    expect((await browser.open('/review')).words).toContain('Publish a post');
    await browser.submit(page, { decision: 'deny' }, action);
    const row = world.product.store.db.selectFrom('actions').select(['state', 'decided_via']).where('id', '=', id);
    expect(await row.executeTakeFirst()).toEqual({ state: 'denied', decided_via: 'page' });
  });

  it('denies several at once, each as it was seen', async ({ world, account }) => {
    const key = await leashedKey(world, 'ask');
    for (const text of ['One', 'Two', 'Three']) await publish(world, account, key, text);
    const browser = await sessionOf(world, world.userId);
    const queue = await browser.open('/review');
    const ticks = [...queue.text.matchAll(/name="action" value="([^"]+)"/g)].map(([, value]) => value!);
    expect(ticks).toHaveLength(3);
    const chosen = { action: ticks.slice(0, 2), decision: 'deny' };
    expect((await browser.submit(queue, chosen, '/review/several')).headers.location).toBe('/review');
    const { data } = (await call(world, 'list_actions', {}, key)).body;
    expect(data.map(({ state }: { state: string }) => state).toSorted()).toEqual(['denied', 'denied', 'held']);
  });
});
