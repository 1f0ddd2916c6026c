import { expect } from 'vitest';
import { endAppsOf } from '#db/leash/connections.ts';
import { basic, describeServer, type Answer } from '../harness/worlds/oauth.ts';
import { endGrants, grantsOf } from '../harness/calls/grants.ts';

const silent = (answer: Answer) => expect([answer.status, answer.text]).toEqual([200, '']);

describeServer('revocation', ({ it }) => {
  it('ends a refresh token of the client, and leaves the access token until it expires', async ({ world, client }) => {
    const { access_token, refresh_token } = await world.tokensFor(client);
    const form = { token: refresh_token, client_id: client.client_id };
    const answer = await world.send('POST /oauth/revoke', { form });
    silent(answer);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect((await world.refresh(client, refresh_token)).body.error).toBe('invalid_grant');
    expect((await world.whoIs(access_token)).status).toBe(200);
    world.clock.move(3_599_000);
    expect((await world.whoIs(access_token)).status).toBe(200);
    world.clock.move(1000);
    expect((await world.whoIs(access_token)).body.error.code).toBe('auth.invalid_token');
  });

  it('is 200 with an empty body whatever is sent, and then ends nothing', async ({ world, client }) => {
    const other = await world.register();
    const { access_token, refresh_token } = await world.tokensFor(client);
    const spent = (await world.tokensFor(client)).refresh_token;
    const next = (await world.refresh(client, spent)).body.refresh_token as string;
    const { client_id } = client;
    for (const form of [
      {},
      { token: refresh_token },
      { client_id },
      { token: '', client_id },
      { token: 'unknown', client_id },
      { token: refresh_token, client_id: 'nobody' },
      { token: refresh_token, client_id: 'no\u0000body' },
      { token: refresh_token, client_id: other.client_id },
      { token: refresh_token, client_id: other.client_id, client_secret: other.client_secret },
      { token: refresh_token, client_id, client_secret: 'wrong' },
      { token: access_token, client_id },
      { token: access_token, client_id, token_type_hint: 'access_token' },
      { token: spent, client_id },
    ])
      silent(await world.send('POST /oauth/revoke', { form: form as Record<string, string> }));
    for (const raw of ['', '{', '[]', 'null', '\u0000', '{"token":5,"client_id":{}}'])
      silent(await world.send('POST /oauth/revoke', { raw }));
    const twice = `token=${refresh_token}&token=x&client_id=${client_id}`;
    silent(await world.send('POST /oauth/revoke', { form: twice }));
    expect((await world.refresh(client, refresh_token)).status).toBe(200);
    expect((await world.refresh(client, next)).status).toBe(200);
  });

  it('takes the client from the body, JSON or HTTP Basic', async ({ world, client }) => {
    const { client_id, client_secret } = client;
    const ways: ((token: string) => Promise<Answer>)[] = [
      (token) => world.send('POST /oauth/revoke', { form: { token, client_id, client_secret } }),
      (token) => world.send('POST /oauth/revoke', { json: { token, client_id } }),
      (token) => world.send('POST /oauth/revoke', { form: { token }, headers: basic(client_id, client_secret) }),
      (token) => world.send('POST /oauth/revoke', { form: { token, token_type_hint: 'access_token', client_id } }),
      (token) => world.send('POST /oauth/revoke', { form: { token, client_id }, headers: basic('nobody', 'wrong') }),
    ];
    for (const way of ways) {
      const { refresh_token } = await world.tokensFor(client);
      silent(await way(refresh_token));
      expect((await world.refresh(client, refresh_token)).status).toBe(400);
    }
  });

  it('ends one chain of tokens and no other of the same user and client', async ({ world, client }) => {
    const first = await world.tokensFor(client);
    const second = await world.tokensFor(client);
    const { body } = await world.refresh(client, first.refresh_token);
    const form = { token: body.refresh_token, client_id: client.client_id };
    silent(await world.send('POST /oauth/revoke', { form }));
    expect((await world.refresh(client, body.refresh_token)).status).toBe(400);
    expect((await world.refresh(client, second.refresh_token)).status).toBe(200);
  });

  it('refuses a body nobody needs to send', async ({ world }) => {
    const { status, body } = await world.send('POST /oauth/revoke', { form: { token: 'x'.repeat(20_000) } });
    expect([status, body.error.code]).toEqual([413, 'http.413']);
  });
});

describeServer('connected apps', ({ it }) => {
  it('lists who can act for a user, and ends what one of them was given', async ({ world }) => {
    const [me, other] = [await world.newUser(), await world.newUser()];
    const first = await world.register({ client_name: 'First', redirect_uris: ['https://client.example/callback'] });
    const second = await world.register({ client_name: 'Second' });
    const began = world.clock.now();
    const mine = await world.tokensFor(first, me);
    const theirs = await world.tokensFor(first, other);
    world.clock.move(1000);
    await world.tokensFor(first, me);
    world.clock.move(1000);
    const latest = await world.tokensFor(second, me);
    await world.codeFor(await world.register(), me);
    expect(await grantsOf(world, me)).toMatchObject([
      { client_id: second.client_id, name: 'Second', connected_at: began + 2000, used_at: began + 2000 },
      { client_id: first.client_id, name: 'First', connected_at: began + 1000, used_at: began + 1000 },
      { client_id: first.client_id, name: 'First', connected_at: began, used_at: began },
    ]);
    expect(await endGrants(world, me, first.client_id)).toBe(true);
    expect(await endGrants(world, me, first.client_id)).toBe(false);
    expect((await grantsOf(world, me)).map(({ name }) => name)).toEqual(['Second']);
    expect((await grantsOf(world, other)).map(({ name }) => name)).toEqual(['First']);
    expect((await world.refresh(first, mine.refresh_token)).status).toBe(400);
    expect((await world.refresh(first, theirs.refresh_token)).status).toBe(200);
    expect((await world.refresh(second, latest.refresh_token)).status).toBe(200);
    world.clock.move(30 * 86_400_000);
    expect(await grantsOf(world, me)).toEqual([]);
  });

  it('ends codes that are still on their way', async ({ world, client }) => {
    const me = await world.newUser();
    const issued = await world.codeFor(client, me);
    await world.store.write(({ db }) => endAppsOf(db, me, world.clock.now()));
    expect((await world.exchange(client, issued)).body.error).toBe('invalid_grant');
  });
});
