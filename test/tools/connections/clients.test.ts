import { afterEach, expect, it, vi } from 'vitest';
import { accessToken, openAuthWorld } from '../../harness/calls/authorize.ts';
import { sessionOf } from '../../harness/calls/browser.ts';
import { dashboardToken } from '../../harness/calls/dashboard.ts';
import { connectionOf, leashedKey } from '../../harness/calls/leash.ts';
import { newMember } from '../../harness/calls/members.ts';
import { call, callThrough } from '../../harness/calls/operations.ts';
import { makeWorld, type World } from '../../harness/world.ts';

afterEach(() => void vi.useRealTimers());

/** Asks for a post; answers the id of the action. */
async function ask(world: World, key: string, text: string): Promise<string> {
  const [account] = (await call(world, 'list_accounts')).body.data;
  const post = { text, account_ids: [account.id], publish_now: true };
  const { status, body } = await callThrough(world, 'rest', 'create_post', post, { key });
  expect(status).toBe(202);
  return body.id;
}

const readBy = async (world: World, key: string, action_id: string) =>
  (await call(world, 'get_action', { action_id }, { key })).body;

it('an editor sees the name of an app that somebody else connected, and so does the audit of what it did', async () => {
  const { world } = await openAuthWorld();
  await world.connect();
  const editor = await newMember(world, 'editor');
  const app = await accessToken(world, await sessionOf(world, world.userId));
  const owner = { key: await dashboardToken(world) };
  const connection = (await call(world, 'list_connections', {}, owner)).body.data.find(
    ({ kind }: { kind: string }) => kind === 'oauth',
  );
  await call(world, 'set_leash', { connection_id: connection.id, preset: 'ask' }, owner);
  const action_id = await ask(world, app, 'Bread');
  expect((await call(world, 'list_connections', {}, { key: editor.token })).body.data).toEqual([]);
  const action = await readBy(world, editor.token, action_id);
  expect(action).toMatchObject({ client: 'Assistant', connection_id: connection.id });
  await call(world, 'approve_action', { action_id, etag: action.etag }, { key: editor.token });
  await world.settle();
  expect((await readBy(world, editor.token, action_id)).state).toBe('done');
  const { data } = (await call(world, 'list_audit', { connection_id: connection.id }, owner)).body;
  expect(data.map(({ verdict, client }: Record<string, string>) => [verdict, client])).toEqual([
    ['approved', 'Assistant'],
    ['hold', 'Assistant'],
  ]);
});

it('an action keeps the name of the key that asked when the key is renamed and when it ends, and events have it', async () => {
  const world = await makeWorld();
  await world.connect();
  const receiver = await world.receive(['action.held']);
  const key = await leashedKey(world, 'ask');
  const first = await ask(world, key, 'Bread');
  const row = (await call(world, 'list_keys')).body.data.find(({ name }: { name: string }) => name === 'limited');
  await call(world, 'update_key', { key_id: row.id, name: 'renamed' });
  const second = await ask(world, key, 'Rolls');
  const owner = await dashboardToken(world);
  // Who only reads sees what waits, as everything else of the workspace.
  const viewer = await newMember(world, 'viewer');
  expect((await call(world, 'list_actions', {}, { key: viewer.token })).body.data).toMatchObject([
    { id: second, client: 'renamed', input: { text: 'Rolls' } },
    { id: first, client: 'limited', input: { text: 'Bread' } },
  ]);
  const namesOf = async () => [(await readBy(world, owner, first)).client, (await readBy(world, owner, second)).client];
  expect(await namesOf()).toEqual(['limited', 'renamed']);
  await call(world, 'end_connection', { connection_id: await connectionOf(world, key) }, { key: owner });
  expect(await namesOf()).toEqual(['limited', 'renamed']);
  await world.settle();
  expect(receiver.received.map(({ body }) => body.data['client'])).toEqual(['limited', 'renamed']);
});
