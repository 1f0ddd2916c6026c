import { afterEach, expect, it, vi } from 'vitest';
import { describeStores } from '../harness/stores/stores.ts';
import { openWorld, type Answer } from '../harness/worlds/oauth.ts';

afterEach(() => void vi.useRealTimers());

/** Two real processes run 60 of them in `test/wire/oauth-races.test.ts`. */
const ROUNDS = 20;

describeStores('two processes on one database', { kinds: ['file', 'postgres'] }, (stores) => {
  async function pair() {
    const place = await stores.place();
    const first = await openWorld(await stores.open(place));
    const second = await openWorld(await stores.open(place), { clock: first.clock, rootUrl: first.rootUrl });
    return { first, second };
  }
  const outcomes = (answers: readonly Answer[]) =>
    answers.map(({ status, body }) => (status === 200 ? 'won' : `${status} ${body.error}`)).sort();
  const expected = [...Array<string>(5).fill('400 invalid_grant'), 'won'];

  it('let exactly one exchange of a code win, and its tokens work', async () => {
    const { first, second } = await pair();
    const client = await first.register();
    for (let round = 0; round < ROUNDS; round++) {
      const issued = await first.codeFor(client);
      const tries = [first, second, first, second, first, second].map((world) => world.exchange(client, issued));
      const answers = await Promise.all(tries);
      expect(outcomes(answers)).toEqual(expected);
      const { body } = answers.find(({ status }) => status === 200)!;
      expect((await second.whoIs(body.access_token)).status).toBe(200);
      expect((await first.refresh(client, body.refresh_token)).status).toBe(200);
    }
  }, 120_000);

  it('let exactly one use of a refresh token win, and its tokens work', async () => {
    const { first, second } = await pair();
    const client = await first.register();
    let { refresh_token } = await first.tokensFor(client);
    for (let round = 0; round < ROUNDS; round++) {
      const tries = [first, second, first, second, first, second].map((world) => world.refresh(client, refresh_token));
      const answers = await Promise.all(tries);
      expect(outcomes(answers)).toEqual(expected);
      const { body } = answers.find(({ status }) => status === 200)!;
      expect((await first.whoIs(body.access_token)).status).toBe(200);
      refresh_token = body.refresh_token as string;
    }
  }, 120_000);

  it('never leave a token behind a revocation', async () => {
    const { first, second } = await pair();
    const client = await first.register();
    const userId = await first.newUser();
    for (let round = 0; round < 10; round++) {
      const { refresh_token } = await first.tokensFor(client, userId);
      const [answer] = await Promise.all([
        first.refresh(client, refresh_token),
        second.oauth.connectedApps.revoke(userId, client.client_id),
      ]);
      await second.oauth.connectedApps.revoke(userId, client.client_id);
      if (answer.status === 200) {
        expect((await first.refresh(client, answer.body.refresh_token)).body.error).toBe('invalid_grant');
      } else {
        expect([answer.status, answer.body.error]).toEqual([400, 'invalid_grant']);
      }
      expect(await first.oauth.connectedApps.list(userId)).toEqual([]);
    }
  });

  it('make one first key between them', async () => {
    const { first, second } = await pair();
    const [mine, theirs] = await Promise.all([first, second].map((world) => world.send('GET /.well-known/jwks.json')));
    expect(mine!.body.keys).toHaveLength(1);
    expect(theirs!.body).toEqual(mine!.body);
  });
});
