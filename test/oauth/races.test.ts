import { expect } from 'vitest';
import { describeServer, openPair, type Answer } from '../harness/worlds/oauth.ts';
import { endGrants, grantsOf } from '../harness/calls/grants.ts';

/** Two real processes run 60 of them in `test/wire/oauth-races.test.ts`. */
const ROUNDS = 20;

describeServer('two processes on one database', { kinds: ['file', 'postgres'] }, ({ it, stores }) => {
  /** What the one that won of six tries is answered. */
  async function winnerOf(tries: readonly Promise<Answer>[]) {
    const answers = await Promise.all(tries);
    const outcomes = answers.map(({ status, body }) => (status === 200 ? 'won' : `${status} ${body.error}`));
    expect(outcomes.sort()).toEqual([...Array<string>(5).fill('400 invalid_grant'), 'won']);
    return answers.find(({ status }) => status === 200)!.body;
  }

  it('let exactly one exchange of a code win, and its tokens work', async () => {
    const [first, second] = await openPair(stores);
    const client = await first.register();
    for (let round = 0; round < ROUNDS; round++) {
      const issued = await first.codeFor(client);
      const tries = [first, second, first, second, first, second].map((world) => world.exchange(client, issued));
      const body = await winnerOf(tries);
      expect((await second.whoIs(body.access_token)).status).toBe(200);
      expect((await first.refresh(client, body.refresh_token)).status).toBe(200);
    }
  }, 120_000);

  it('let exactly one use of a refresh token win, and its tokens work', async () => {
    const [first, second] = await openPair(stores);
    const client = await first.register();
    let { refresh_token } = await first.tokensFor(client);
    for (let round = 0; round < ROUNDS; round++) {
      const tries = [first, second, first, second, first, second].map((world) => world.refresh(client, refresh_token));
      const body = await winnerOf(tries);
      expect((await first.whoIs(body.access_token)).status).toBe(200);
      refresh_token = body.refresh_token as string;
    }
  }, 120_000);

  it('never leave a token behind a revocation', async () => {
    const [first, second] = await openPair(stores);
    const client = await first.register();
    const userId = await first.newUser();
    for (let round = 0; round < 10; round++) {
      const { refresh_token } = await first.tokensFor(client, userId);
      const [answer] = await Promise.all([
        first.refresh(client, refresh_token),
        endGrants(second, userId, client.client_id),
      ]);
      await endGrants(second, userId, client.client_id);
      const refused = answer.status === 200 ? await first.refresh(client, answer.body.refresh_token) : answer;
      expect([refused.status, refused.body.error]).toEqual([400, 'invalid_grant']);
      expect(await grantsOf(first, userId)).toEqual([]);
    }
  });

  it('make one first key between them', async () => {
    const [first, second] = await openPair(stores);
    const [mine, theirs] = await Promise.all([first, second].map((world) => world.send('GET /.well-known/jwks.json')));
    expect(mine!.body.keys).toHaveLength(1);
    expect(theirs!.body).toEqual(mine!.body);
  });
});
