import { afterEach, describe, expect, test, vi } from 'vitest';
import { OWNER } from '#db/access/users.ts';
import { writeSetting } from '#db/store/settings.ts';
import { SCOPES } from '#kernel/scopes.ts';
import { accessToken, openAuthWorld } from '../../harness/calls/authorize.ts';
import { isSignedIn } from '../../harness/calls/browser.ts';
import { dashboardToken, describeDashboardCallers } from '../../harness/calls/dashboard.ts';
import { call, expectRefusal, type Reply } from '../../harness/calls/operations.ts';
import { newMember } from '../../harness/calls/members.ts';
import { describeStores } from '../../harness/stores/stores.ts';
import { listen } from '../../harness/webhooks/event-source.ts';
import { it, makeWorld, type World } from '../../harness/world.ts';

describeDashboardCallers('remove_person', { user_id: 'usr_none' });

afterEach(() => void vi.useRealTimers());

const remove = (world: World, key: string, user_id: string, more: Record<string, unknown> = {}) =>
  call(world, 'remove_person', { user_id, ...more }, { key });
const newKey = async (world: World, key: string, limits: object = {}) =>
  (await call(world, 'create_key', { name: 'n8n', ...limits }, { key })).body as Record<'id' | 'raw_key', string>;
const codeOf = async (answer: Promise<Reply>) => {
  const { ok, code } = await answer;
  return ok ? 'ok' : code;
};

describe('remove_person', () => {
  it('ends the sessions, tokens, apps and keys of the person, and nothing else', async () => {
    const { world } = await openAuthWorld();
    const owner = await dashboardToken(world);
    const { id, browser, token, email } = await newMember(world, 'admin');
    const app = await accessToken(world, browser);
    const { raw_key } = await newKey(world, token);
    const works = async () => [
      await isSignedIn(browser),
      ...(await Promise.all([token, app, raw_key].map((key) => codeOf(call(world, 'get_me', {}, { key }))))),
    ];
    expect(await works()).toEqual([true, 'ok', 'ok', 'ok']);
    expect((await remove(world, owner, id)).body).toEqual({ success: true, ok: true, id });
    expect(await works()).toEqual([false, 'auth.not_provisioned', 'auth.user_not_found', 'auth.invalid_key']);
    expect((await call(world, 'list_people', {}, { key: owner })).body.count).toBe(1);
    expect((await call(world, 'get_me')).ok).toBe(true);
    // The address is free again.
    expect((await newMember(world, 'viewer', { email })).id).not.toBe(id);
  });

  it('ends the streams that the person follows, before they are sent anything more', async ({ world }) => {
    const { id, token } = await newMember(world, 'viewer');
    const stream = await listen(`${world.root}/v1/events/stream`, { Authorization: `Bearer ${token}` });
    expect(await stream.next()).toEqual({ retry: '3000' });
    await remove(world, await dashboardToken(world), id);
    expect(await stream.next()).toBeUndefined();
  });

  it('keeps the keys if that is wanted, for everything but managing the workspace', async ({ world }) => {
    const owner = await dashboardToken(world);
    const { id, token } = await newMember(world, 'admin');
    const [all, some] = [await newKey(world, token), await newKey(world, token, { scopes: ['posts:read'] })];
    expect((await remove(world, owner, id, { end_keys: false })).ok).toBe(true);
    const { data } = (await call(world, 'list_keys')).body;
    const scopesOf = (key: { id: string }) => data.find((one: { id: string }) => one.id === key.id).scopes;
    expect([scopesOf(all), scopesOf(some)]).toEqual([Object.keys(SCOPES), ['posts:read']]);
    const as = (key: { raw_key: string }, name: string, input = {}) =>
      codeOf(call(world, name, input, { key: key.raw_key }));
    expect([await as(all, 'list_posts'), await as(some, 'list_posts')]).toEqual(['ok', 'ok']);
    // Whoever still knows the key is not the owner, for whom it acts from now on.
    for (const name of ['delete_me', 'create_key', 'list_keys'])
      expect(await as(all, name)).toBe('auth.insufficient_scope');
  });

  it('keeps no keys for somebody who leaves and is no administrator any more', async ({ world }) => {
    const { id, token } = await newMember(world, 'admin');
    const { raw_key } = await newKey(world, token);
    await call(world, 'update_person', { user_id: id, role: 'editor' }, { key: await dashboardToken(world) });
    expect((await remove(world, token, id, { end_keys: false })).ok).toBe(true);
    expect(await codeOf(call(world, 'get_me', {}, { key: raw_key }))).toBe('auth.invalid_key');
  });

  it('takes along a key whose secret the person has made anew', async ({ world }) => {
    const { id, token } = await newMember(world, 'admin');
    const [key] = (await call(world, 'list_keys')).body.data;
    const { raw_key } = (await call(world, 'rotate_key', { key_id: key.id }, { key: token })).body;
    // With that key, they delete themselves and not the owner.
    expect((await call(world, 'get_me', {}, { key: raw_key })).body.id).toBe(id);
    await remove(world, await dashboardToken(world), id);
    expect(await codeOf(call(world, 'get_me', {}, { key: raw_key }))).toBe('auth.invalid_key');
  });

  it('takes along a key whose limits the person has changed', async ({ world }) => {
    const { id, token } = await newMember(world, 'admin');
    const { id: key_id, raw_key } = await newKey(world, await dashboardToken(world), { scopes: ['posts:read'] });
    await call(world, 'update_key', { key_id, name: 'Renamed' }, { key: token });
    expect((await call(world, 'get_me', {}, { key: raw_key })).body.id).toBe(world.userId);
    await call(world, 'update_key', { key_id, scopes: [] }, { key: token });
    expect((await call(world, 'get_me', {}, { key: raw_key })).body.id).toBe(id);
    await remove(world, await dashboardToken(world), id);
    expect(await codeOf(call(world, 'get_me', {}, { key: raw_key }))).toBe('auth.invalid_key');
  });

  it('leaves the owner of the server where they are', async ({ world }) => {
    const [admin, other] = [await newMember(world, 'admin'), await newMember(world, 'editor')];
    await world.product.store.write((tx) => writeSetting(tx.db, OWNER, admin.id));
    await expectRefusal(remove(world, await dashboardToken(world), admin.id), 'resource.conflict');
    await expectRefusal(remove(world, admin.token, admin.id), 'resource.conflict');
    expect((await remove(world, admin.token, other.id)).ok).toBe(true);
  });

  it('lets people leave, and only administrators remove others, never the owner', async ({ world }) => {
    const owner = await dashboardToken(world);
    const [admin, editor, viewer] = [
      await newMember(world, 'admin'),
      await newMember(world, 'editor'),
      await newMember(world, 'viewer'),
    ];
    for (const id of [admin.id, viewer.id, world.userId, 'usr_none'])
      await expectRefusal(remove(world, editor.token, id), 'resource.not_found', { resource: 'person' });
    for (const key of [owner, admin.token]) await expectRefusal(remove(world, key, world.userId), 'resource.conflict');
    expect((await remove(world, editor.token, editor.id)).ok).toBe(true);
    expect((await remove(world, admin.token, viewer.id)).ok).toBe(true);
    expect((await remove(world, admin.token, admin.id)).ok).toBe(true);
    const { body: log } = await call(world, 'list_events', { category: 'api' });
    expect(log.events.map(({ summary }: { summary: string }) => summary).slice(0, 3)).toEqual([
      'A admin left the workspace',
      'A viewer was removed',
      'A editor left the workspace',
    ]);
    expect(JSON.stringify(log)).not.toContain('@example.org');
  });

  it('knows nobody of another workspace', async ({ world }) => {
    const other = (await world.product.modules.users.create('other@example.org', 'Other'))!;
    const key = await dashboardToken(world);
    await expectRefusal(remove(world, key, other.userId), 'resource.not_found', { resource: 'person' });
    const theirs = await dashboardToken(world, other.userId);
    await expectRefusal(remove(world, theirs, world.userId), 'resource.not_found', { resource: 'person' });
  });

  it('keeps what the person did: posts stay and are published', async ({ world }) => {
    const account = await world.connect();
    const { id, token } = await newMember(world, 'editor');
    const scheduled_at = new Date(world.clock.now() + 60_000).toISOString();
    const post = await call(
      world,
      'create_post',
      { text: 'Hello', scheduled_at, account_ids: [account.id] },
      { key: token },
    );
    await remove(world, await dashboardToken(world), id);
    await world.pass(61_000);
    expect((await call(world, 'get_post', { post_id: post.body.id })).body.status).toBe('published');
  });
});

it('delete_me of somebody who is not the owner removes only that person', async ({ world }) => {
  const { id, email, token } = await newMember(world, 'admin');
  const { raw_key } = await newKey(world, token);
  expect((await call(world, 'delete_me', { confirm: email }, { key: raw_key })).body.id).toBe(id);
  expect(await codeOf(call(world, 'get_me', {}, { key: raw_key }))).toBe('auth.invalid_key');
  expect((await call(world, 'list_brands')).body.count).toBe(1);
});

describeStores('at the same time', (stores) => {
  test('a person who is removed invites nobody and gives nobody a role', async () => {
    const world = await makeWorld({ store: await stores.place() });
    const owner = await dashboardToken(world);
    const [admin, viewer] = [await newMember(world, 'admin'), await newMember(world, 'viewer')];
    const own = { key: admin.token };
    await Promise.all([
      remove(world, owner, admin.id),
      call(world, 'invite_person', { email: 'x@example.org', role: 'admin' }, own),
      call(world, 'update_person', { user_id: viewer.id, role: 'admin' }, own),
      remove(world, owner, admin.id),
    ]);
    const { body } = await call(world, 'list_invitations', {}, { key: owner });
    expect(body.data).toEqual([]);
    const { db } = world.product.store;
    const left = await db.selectFrom('users').select('id').where('id', '=', admin.id).execute();
    expect(left).toEqual([]);
  });
});
