import { SECOND, MINUTE, HOUR, DAY } from '#kernel/clock.ts';
import { expect } from 'vitest';
import { fakeClock } from '../harness/clock.ts';
import { cookieFor, describeServer, openWorld, pkce, requestOf } from '../harness/worlds/oauth.ts';

describeServer('lifetimes', ({ it, stores }) => {
  it('of an access token is an hour', async ({ world }) => {
    const { access_token } = await world.tokensFor(await world.register());
    world.clock.move(HOUR - SECOND);
    expect((await world.whoIs(access_token)).status).toBe(200);
    world.clock.move(SECOND);
    // Remembered or not, the answer is the same.
    expect((await world.whoIs(access_token)).body.error.code).toBe('auth.invalid_token');
    world.oauth.forget();
    expect((await world.whoIs(access_token)).body.error.code).toBe('auth.invalid_token');
  });

  it('of a code is ten minutes', async ({ world, client }) => {
    const [early, late] = [await world.codeFor(client), await world.codeFor(client)];
    world.clock.move(10 * MINUTE - SECOND);
    expect((await world.exchange(client, early)).status).toBe(200);
    world.clock.move(SECOND);
    expect((await world.exchange(client, late)).body.error).toBe('invalid_grant');
  });

  it('of a refresh token is thirty days, and each one has them anew', async ({ world, client }) => {
    let { refresh_token } = await world.tokensFor(client);
    const left = (await world.tokensFor(client)).refresh_token;
    for (let round = 0; round < 4; round++) {
      world.clock.move(30 * DAY - SECOND);
      await world.oauth.sweep();
      const answer = await world.refresh(client, refresh_token);
      expect(answer.status).toBe(200);
      expect((await world.whoIs(answer.body.access_token)).status).toBe(200);
      refresh_token = answer.body.refresh_token as string;
    }
    expect((await world.refresh(client, left)).body.error).toBe('invalid_grant');
    world.clock.move(30 * DAY);
    expect((await world.refresh(client, refresh_token)).body.error).toBe('invalid_grant');
  });

  it('of a consent request is an hour', async ({ world, client, userId }) => {
    const { verifier, challenge } = pkce();
    const early = await world.begin(client, challenge);
    const late = await world.begin(client, challenge);
    world.clock.move(HOUR - SECOND);
    const path = await world.oauth.interactions.approve(early.uid, early.cookie, userId);
    const url = await world.finish(early.browser, path);
    world.clock.move(SECOND);
    const expired = { code: 'auth.oauth.request_expired', status: 400 };
    await expect(world.oauth.interactions.read(late.uid, late.cookie)).rejects.toMatchObject(expired);
    await expect(world.oauth.interactions.approve(late.uid, late.cookie, userId)).rejects.toMatchObject(expired);
    await expect(world.oauth.interactions.deny(late.uid, late.cookie)).rejects.toMatchObject(expired);
    const back = `/oauth/authorize/${late.uid}` as const;
    const answer = await world.send(`GET ${back}`, { headers: { Cookie: cookieFor(late.browser, back) } });
    expect([answer.status, answer.body.error.code]).toEqual([400, 'auth.oauth.request_expired']);
    // The code has its own ten minutes from when it was issued.
    world.clock.move(9 * MINUTE);
    const code = url.searchParams.get('code')!;
    expect((await world.exchange(client, { code, verifier })).status).toBe(200);
  });

  it('follow our clock, also where the clock of the machine stays behind', async () => {
    const world = await openWorld(await stores.open(), { clock: fakeClock(Date.now()) });
    const client = await world.register();
    const { access_token, refresh_token } = await world.tokensFor(client);
    const issued = await world.codeFor(client);
    const { uid, cookie } = await world.begin(client, pkce().challenge);
    world.clock.move(HOUR);
    expect((await world.whoIs(access_token)).status).toBe(401);
    expect((await world.exchange(client, issued)).body.error).toBe('invalid_grant');
    const reading = world.oauth.interactions.read(uid, cookie);
    await expect(reading).rejects.toMatchObject({ code: 'auth.oauth.request_expired' });
    world.clock.move(20 * DAY);
    const { body } = await world.refresh(client, refresh_token);
    expect((await world.whoIs(body.access_token)).status).toBe(200);
    world.clock.move(30 * DAY);
    expect((await world.refresh(client, body.refresh_token)).body.error).toBe('invalid_grant');
  });

  it('end in the sweep', async ({ world, client }) => {
    const { refresh_token } = await world.tokensFor(client);
    await world.refresh(client, refresh_token);
    await world.codeFor(client);
    await world.begin(client, pkce().challenge);
    const count = async () => (await world.store.db.selectFrom('oauth_records').select('id').execute()).length;
    // Two grants, a spent and a fresh code, a spent and a fresh refresh token, a consent request.
    expect(await count()).toBe(7);
    expect(await world.oauth.sweep()).toBe(0);
    world.clock.move(2 * HOUR);
    expect(await world.oauth.sweep()).toBe(4);
    world.clock.move(DAY);
    expect(await world.oauth.sweep()).toBe(1);
    expect(await count()).toBe(2);
    world.clock.move(31 * DAY);
    expect(await world.oauth.sweep()).toBe(2);
    expect(await count()).toBe(0);
    expect(await world.oauth.sweep()).toBe(0);
  });

  it('of a client is for ever once somebody approved it, and thirty days before', async ({ world, client: used }) => {
    const idle = await world.register();
    await world.tokensFor(used);
    world.clock.move(30 * DAY - SECOND);
    expect(await world.oauth.sweep()).toBeGreaterThan(0);
    const ids = async () => {
      const rows = await world.store.db.selectFrom('oauth_clients').select('id').orderBy('created_at').execute();
      return rows.map(({ id }) => id);
    };
    expect((await ids()).sort()).toEqual([used.client_id, idle.client_id].sort());
    world.clock.move(400 * DAY);
    const waiting = await world.register();
    world.clock.move(30 * DAY + SECOND);
    // One that is being asked about right now is not idle.
    const begun = await world.begin(waiting, pkce().challenge);
    while ((await world.oauth.sweep()) > 0);
    expect((await ids()).sort()).toEqual([used.client_id, waiting.client_id].sort());
    await world.oauth.interactions.deny(begun.uid, begun.cookie);
    world.clock.move(2 * HOUR);
    while ((await world.oauth.sweep()) > 0);
    expect(await ids()).toEqual([used.client_id]);
    expect((await world.authorize(requestOf(used.client_id))).status).toBe(303);
    const refused = await world.authorize(requestOf(idle.client_id));
    expect(refused.body.error.code).toBe('auth.oauth.invalid_client');
  });
});
