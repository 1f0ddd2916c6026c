import { expect } from 'vitest';
import { it } from '../harness/world.ts';
import { personOf } from '../harness/platforms/bluesky-people.ts';
import { standInOf } from './platforms/stand-in.ts';

it('messages are refused by name once an account is connected with a password that may not read them', async ({
  world,
}) => {
  const bluesky = standInOf(world, 'bluesky', '');
  const [alice, bob] = [personOf(world, 0), personOf(world, 1)];
  await world.connect();
  await world.settle();
  await bluesky.act('message', { person: bob.handle, whom: alice.handle, text: 'Are you open?' });
  await world.pass(60_000);
  const [conversation] = (await world.rest('GET /v1/inbox/conversations')).body.data;
  const send = () => world.rest(`POST /v1/inbox/conversations/${conversation.id}/messages`, { text: 'Until six.' });
  expect((await send()).status).toBe(200);
  const app_password = alice.credentials['app_password_without_messages'];
  const metadata = { identifier: alice.handle, app_password };
  expect((await world.rest('POST /v1/accounts/connect', { platform: 'bluesky', metadata })).status).toBe(201);
  const { status, body } = await send();
  expect([status, body.error.code]).toEqual([403, 'platform.bluesky.dm_scope_missing']);
  // The rest of the account goes on.
  const [account] = (await world.rest('GET /v1/accounts')).body.data;
  expect(account).toMatchObject({ status: 'active', metadata: { direct_messages: false } });
});
