import { sql } from 'kysely';
import { describe, expect } from 'vitest';
import { it, type World } from '../../harness/world.ts';
import { callsOf, credentialsOf, upset, whileRevoking } from '../../harness/platforms/bluesky-people.ts';
import { call, callMcp, expectInvalid, expectRequired } from '../../harness/calls/operations.ts';
import { refusalOf } from '../../harness/calls/rest.ts';

// Past due and limited callers never get as far as deleting anything; the one call that does has a world of its own.
const CONFIRMED = { confirm: 'owner@example.org' };

/** The tables that still hold something with this text in it. */
async function tablesWith(world: World, text: string): Promise<string[]> {
  const { db } = world.product.store;
  const { rows } = await sql<{ name: string }>`select name from sqlite_master where type = 'table'`.execute(db);
  const found: string[] = [];
  for (const { name } of rows) {
    const { rows: content } = await sql`select * from ${sql.table(name)}`.execute(db);
    if (JSON.stringify(content).includes(text)) found.push(name);
  }
  return found;
}

describe('delete_me', () => {
  it('takes the whole workspace along, its history within the hour, and nothing of another', async ({ world }) => {
    const stranger = await world.stranger();
    const revoked = await world.newKey();
    const { data: keys } = (await world.rest('GET /v1/keys')).body;
    await world.rest(`DELETE /v1/keys/${keys.find(({ name }: { name: string }) => name === 'limited').id}`);
    const receiver = await world.receive(['account.connected', 'account.disconnected', 'post.published']);
    const account = await world.connect();
    const post = { text: 'Hello', account_ids: [account.id], publish_now: true };
    expect((await world.rest('POST /v1/posts', post)).status).toBe(201);
    await world.rest('GET /v1/oauth/url?platform=bluesky');
    await world.rest('GET /v1/media/upload-url?media_type=image/png&filename=a.png');
    await world.settle();
    expect((await tablesWith(world, world.workspaceId)).length).toBeGreaterThan(10);
    const told = receiver.received.length;

    const { status, body } = await call(world, 'delete_me', CONFIRMED);
    expect([status, body]).toEqual([200, { success: true, ok: true, id: world.userId }]);

    const refusal = (key?: string) => refusalOf(world.rest('GET /v1/users/me', undefined, key ? { key } : {}));
    expect(await refusal()).toEqual([401, 'auth.user_not_found']);
    expect(await refusal(revoked)).toEqual([401, 'auth.invalid_key']);
    expect(callsOf(world, 'com.atproto.server.deleteSession')).toBe(1);
    await world.settle();
    const left = await tablesWith(world, world.workspaceId);
    for (const gone of ['users', 'keys', 'accounts', 'connects']) expect(left).not.toContain(gone);
    for (let minutes = 0; minutes < 60; minutes += 1) await world.pass(60_000);
    expect(await tablesWith(world, world.workspaceId)).toEqual([]);
    expect(await refusal()).toEqual([401, 'auth.user_not_found']);
    expect(receiver.received).toHaveLength(told);
    expect((await world.rest('GET /v1/brands', undefined, { key: stranger.key })).body.count).toBe(1);
  });

  it('is done before the platform knows of it, and though it never does', async ({ world, account }) => {
    const { key } = await world.stranger();
    const { email } = (await world.rest('GET /v1/users/me', undefined, { key })).body;
    const meanwhile = async () => {
      expect((await world.rest('GET /v1/brands')).status).toBe(401);
      // The login is free at once.
      const input = { platform: 'bluesky', metadata: credentialsOf(world) };
      const again = await call(world, 'connect_account', input, { key });
      expect([again.ok, again.body.account_id === account.id]).toEqual([true, false]);
    };
    expect((await whileRevoking(world, () => call(world, 'delete_me', CONFIRMED), meanwhile, key)).ok).toBe(true);
    upset(world, 'error_after', { times: 9 });
    expect((await call(world, 'delete_me', { confirm: email }, { key })).ok).toBe(true);
  });
});

describe('delete_me of an assistant', () => {
  it("is refused without the user's address, and with another", async ({ world }) => {
    const ask = (input: Record<string, unknown>) => callMcp(world, 'delete_me', input);
    await expectRequired(ask({}), 'confirm');
    for (const wrong of ['yes', 'Owner', 'owner@example.com']) await expectInvalid(ask({ confirm: wrong }), 'confirm');
    expect((await callMcp(world, 'get_me')).ok).toBe(true);
    expect((await ask({ confirm: 'Owner@Example.org' })).ok).toBe(true);
  });

  it('is no input of REST', async ({ world }) => {
    expect((await world.rest('DELETE /v1/users/me?confirm=wrong')).status).toBe(200);
  });
});
