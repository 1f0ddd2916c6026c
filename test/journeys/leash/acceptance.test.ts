import { afterEach, expect, it, vi } from 'vitest';
import { accessToken, openAuthWorld } from '../../harness/calls/authorize.ts';
import { sessionOf, setUp } from '../../harness/calls/browser.ts';
import { dashboardToken } from '../../harness/calls/dashboard.ts';
import { connectionOf, givePassword, leash, leashedKey } from '../../harness/calls/leash.ts';
import { list, publish } from '../../harness/calls/rest.ts';
import { facebookOf } from '../../harness/platforms/facebook.ts';
import { describeStores } from '../../harness/stores/stores.ts';
import { makeWorld, type Answer, type Json, type World } from '../../harness/world.ts';

/*
 * What a stranger may count on, by REST and MCP. Elsewhere, because they take processes or a browser:
 * one post, message and answer after kill -9: test/wire/crash/actions.test.ts; pages by keys at 320 px and without
 * scripts: test/wire/browser/live/assistants.test.ts and test/tools/connections/actions.test.ts; an assistant that does
 * whatever it reads: test/eval/gullible.test.ts; OAuth clients: test/wire/conformance.test.ts.
 */

afterEach(() => void vi.useRealTimers());

const ACCEPT = { Accept: 'application/json, text/event-stream' };
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const toolsOf = async (world: World, key: string): Promise<string> =>
  JSON.stringify((await world.rest('POST /mcp', LIST, { key, headers: ACCEPT })).body);
const person = async (world: World) => ({ key: await dashboardToken(world) });
const approve = async (world: World, id: string): Promise<Answer> => {
  const owner = await person(world);
  const { etag } = (await world.rest(`GET /v1/actions/${id}`, undefined, owner)).body;
  return world.rest(`POST /v1/actions/${id}/approve`, { etag }, owner);
};

it('consent without a choice changes nothing: no row, and the same tools byte for byte', async () => {
  const { world } = await openAuthWorld();
  const token = await accessToken(world, await setUp(world));
  expect(await toolsOf(world, token)).toBe(await toolsOf(world, world.key));
  expect(await world.product.store.db.selectFrom('connections').select('id').execute()).toEqual([]);
});

it('a token of an app decides about nothing, though it may do everything else', async () => {
  const { world } = await openAuthWorld();
  const account = await world.connect();
  const token = await accessToken(world, await setUp(world));
  const key = await leashedKey(world, 'ask');
  const post = { text: 'Fresh bread', account_ids: [account.id], publish_now: true };
  const { id } = (await world.rest('POST /v1/posts', post, { key })).body;
  for (const what of ['approve', 'deny'])
    expect((await world.rest(`POST /v1/actions/${id}/${what}`, { etag: 'e' }, { key: token })).status).toBe(403);
  expect(await toolsOf(world, token)).not.toContain('"approve_action"');
  const asked = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'approve_action', arguments: {} } };
  const { body } = await world.rest('POST /mcp', asked, { key: token, headers: ACCEPT });
  expect(body.error.message).toContain('approve_action');
});

describeStores('a connection that has to ask', (stores) => {
  async function scene(preset = 'ask', limits: object = {}) {
    const world = await makeWorld({ store: await stores.place() });
    const facebook = facebookOf(world);
    const account = (await facebook.connect()).id as string;
    const key = await leashedKey(world, preset, limits);
    const post = { text: 'Fresh bread', account_ids: [account], publish_now: true };
    const posts = async (): Promise<readonly Json[]> => facebook.look('posts');
    return { world, facebook, account, key, post, posts };
  }

  it('is told that a post waits; a person approves it on the page, and it is published once', async () => {
    const { world, key, post, posts } = await scene();
    const held = await world.rest('POST /v1/posts', post, { key });
    expect([held.status, held.body.status, held.body.held.act]).toEqual([202, 'held', 'post']);
    const path = `/review/${held.body.id}`;
    const browser = await sessionOf(world, world.userId);
    const page = await browser.open(path);
    await world.settle();
    expect([await posts(), page.words.includes('Fresh bread')]).toEqual([[], true]);
    await browser.submit(page, { decision: 'approve' }, path);
    await world.settle();
    expect(await posts()).toHaveLength(1);
    const { body } = await world.mcp('get_action', { action_id: held.body.id }, { key });
    expect(body).toMatchObject({ state: 'done', decided_by: 'Owner' });
  });

  it('has one action of five equal calls by both doors, and its outcome afterwards', async () => {
    const { world, key, post, posts } = await scene();
    const ids = new Set<string>();
    for (let n = 0; n < 5; n += 1) {
      const { body } =
        n % 2 === 0 ? await world.rest('POST /v1/posts', post, { key }) : await world.mcp('create_post', post, { key });
      ids.add(body.id);
    }
    expect(ids.size).toBe(1);
    await approve(world, [...ids][0]!);
    await world.settle();
    const outcome = { status: 'published', replayed: true };
    expect((await world.mcp('create_post', post, { key })).body).toMatchObject(outcome);
    expect(await world.rest('POST /v1/posts', post, { key })).toMatchObject({ status: 201, body: outcome });
    expect(await posts()).toHaveLength(1);
  });

  it('is refused at once what breaks a rule, and what changed is looked at again', async () => {
    const { world, account, key, post } = await scene();
    const long = await world.mcp('create_post', { ...post, text: 'x'.repeat(70_000) }, { key });
    expect([long.isError, (await list(world, '/v1/actions')).length]).toEqual([true, 0]);
    const { id } = (await world.rest('POST /v1/posts', { text: 'Draft', account_ids: [account] }, { key })).body;
    const held = (await world.rest(`POST /v1/posts/${id}/publish`, {}, { key })).body;
    const owner = await person(world);
    const { etag } = (await world.rest(`GET /v1/actions/${held.id}`, undefined, owner)).body;
    await world.rest(`PATCH /v1/posts/${id}`, { text: 'Another' }, { key });
    expect((await world.rest(`POST /v1/actions/${held.id}/approve`, { etag }, owner)).status).toBe(409);
  });

  it('never decides, by any door, and neither does a key that was not given that right', async () => {
    const { world, key, post } = await scene();
    const { id } = (await world.rest('POST /v1/posts', post, { key })).body;
    for (const one of [key, world.key]) {
      expect((await world.rest(`POST /v1/actions/${id}/approve`, { etag: 'e' }, { key: one })).status).toBe(403);
      expect(await toolsOf(world, one)).not.toContain('"approve_action"');
    }
    const deciding = await world.newKey();
    await leash(world, deciding, { preset: 'read', decides: true, password: await givePassword(world) });
    expect((await world.rest('POST /mcp', LIST, { key: deciding, headers: ACCEPT })).status).toBe(403);
    const { etag } = (await world.rest(`GET /v1/actions/${id}`, undefined, { key: deciding })).body;
    expect((await world.rest(`POST /v1/actions/${id}/approve`, { etag }, { key: deciding })).status).toBe(200);
  });

  it('reaches neither keys, webhooks nor other brands, and likes 20 of 30 at a cap of 20', async () => {
    const { world, facebook, account, key } = await scene('answer', { caps: { moderate: 20 } });
    for (const route of ['POST /v1/keys', 'POST /v1/webhooks', 'GET /v1/webhooks'] as const)
      expect([
        route,
        (await world.rest(route, route.startsWith('POST') ? { name: 'a' } : undefined, { key })).status,
      ]).toEqual([route, 403]);
    const tools = await toolsOf(world, key);
    for (const name of ['create_key', 'create_webhook', 'list_webhooks']) expect(tools).not.toContain(`"${name}"`);
    const { id, targets } = (await publish(world, account, { text: 'Bread' })).body;
    const on = targets[0].platform_post_id as string;
    for (let n = 0; n < 30; n += 1) await facebook.act('comment', { person: 'fred.sandbox.test', on, message: `${n}` });
    await world.settle();
    const comments = await list(world, `/v1/inbox/comments/${id}?account_id=${account}&limit=100`);
    const likes = comments.map(({ id: comment }) =>
      world.rest(`POST /v1/inbox/comments/${id}/${comment}/like`, { account_id: account }, { key }),
    );
    const statuses = (await Promise.all(likes)).map(({ status }) => status);
    expect([statuses.length, statuses.filter((status) => status === 202).length]).toEqual([30, 10]);
    const narrow = await leashedKey(world, 'answer', { brand_ids: [world.brandId] });
    const hidden = await world.connect(0, (await world.rest('POST /v1/brands', { name: 'Other' })).body.id);
    expect((await world.rest(`GET /v1/accounts/${hidden.id}/limits`, undefined, { key: narrow })).status).toBe(404);
  });

  it('under draft changes no post that somebody scheduled', async () => {
    const { world, account, key } = await scene('draft');
    const scheduled_at = new Date(world.clock.now() + 3_600_000).toISOString();
    const { id } = (await world.rest('POST /v1/posts', { text: 'Soon', account_ids: [account], scheduled_at })).body;
    expect((await world.rest(`PATCH /v1/posts/${id}`, { text: 'Mine' }, { key })).body.error.code).toBe(
      'auth.leash_denied',
    );
    expect((await world.mcp('update_post', { post_id: id, text: 'Mine' }, { key })).isError).toBe(true);
    expect((await world.rest(`GET /v1/posts/${id}`)).body.text).toBe('Soon');
  });

  it('is refused once it ended, and what it asked for is withdrawn', async () => {
    const { world, key, post } = await scene();
    const { id } = (await world.rest('POST /v1/posts', post, { key })).body;
    const owner = await person(world);
    await world.rest(`DELETE /v1/connections/${await connectionOf(world, key)}`, undefined, owner);
    expect((await world.rest('GET /v1/posts', undefined, { key })).status).toBe(401);
    expect((await world.rest('POST /mcp', LIST, { key, headers: ACCEPT })).status).toBe(401);
    expect((await world.rest(`GET /v1/actions/${id}`, undefined, owner)).body.state).toBe('withdrawn');
  });

  it('has a row in the audit for what it did and asked for, without a secret', async () => {
    const { world, account, key, post } = await scene();
    await world.rest('POST /v1/posts', { text: `my key is ${key}`, account_ids: [account] }, { key });
    const { id } = (await world.rest('POST /v1/posts', post, { key })).body;
    await approve(world, id);
    await world.settle();
    const { data } = (await world.rest('GET /v1/audit', undefined, await person(world))).body;
    const verdicts = data.map(({ tool, verdict }: Json) => `${tool} ${verdict}`);
    for (const one of ['create_post allow', 'create_post hold', 'approve_action allow', 'create_post approved'])
      expect(verdicts).toContain(one);
    expect(JSON.stringify(data)).not.toContain(key);
  });
});
