import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeBrowser } from '../../harness/calls/browser.ts';
import { openProcesses, type Answer, type Json, type Processes, type Seat } from '../../harness/processes.ts';
import { DATABASES } from '../two-servers.ts';

const CALLS = 1000;
/** Calls that are under way at the same time. */
const AT_ONCE = 40;

/** The answers to so many calls, those after each other at different servers. */
async function askAll(seats: readonly Seat[], count: number, ask: (seat: Seat, n: number) => Promise<Answer>) {
  const answers: Answer[] = [];
  let next = 0;
  const work = async () => {
    while (next < count) {
      const n = next++;
      answers.push(await ask(seats[n % seats.length]!, n));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return answers;
}

const tally = (answers: readonly Answer[]) =>
  Object.fromEntries(
    [...Map.groupBy(answers, ({ status, body }) => `${status} ${body.error?.code ?? 'done'}`)].map(
      ([outcome, all]): [string, number] => [outcome, all.length],
    ),
  );

for (const database of DATABASES) {
  describe.skipIf(database.missing !== undefined)(`two servers on ${database.name}, on the Free plan`, () => {
    let world: Processes;
    let seats: readonly [Seat, ...Seat[]];
    let brand: string;

    beforeAll(async () => {
      world = await openProcesses();
      seats = await world.servers(2, { ...(await database.open()), DEFAULT_PLAN: 'free' });
      brand = (await seats[0].rest('GET', '/v1/brands')).body.data.at(-1).id;
    });
    afterAll(() => world?.close());

    it('give one invite to one of two who finish at once', async () => {
      const people: Json[] = await world.control('people');
      const [alice, bob] = people.filter(({ network }) => network === 'bluesky');
      for (const account of (await seats[0].rest('GET', '/v1/accounts')).body.data) {
        await seats[0].rest('DELETE', `/v1/accounts/${account.id}`);
      }
      const ask = { brand_id: brand, platform: 'bluesky', expires_in_days: 1 };
      const made = await askAll(seats, 6, (seat) => seat.rest('POST', '/v1/invites', ask));
      expect(tally(made)).toEqual({ '201 done': 1, '409 resource.conflict': 5 });
      const { url } = made.find(({ status }) => status === 201)!.body;
      const rootUrl = new URL(url).origin;
      const visitors = await Promise.all(
        [alice, bob].map(async ({ handle, credentials }, n) => {
          const browser = makeBrowser({ config: { rootUrl }, root: seats[n]!.root() });
          const page = await browser.follow(await browser.open(url));
          expect(page.words).toContain('You are invited to connect Bluesky');
          return () => browser.submit(page, { identifier: handle, app_password: credentials.app_password });
        }),
      );
      const ends = await Promise.all(visitors.map((submit) => submit()));
      const results = ends.map(({ headers }) => new URL(headers.location!).searchParams);
      expect(new Set(results.map((query) => query.get('status')))).toEqual(new Set(['error', 'success']));
      expect(results.map((query) => query.get('error'))).toContain('invite.invalid');
      const { data } = (await seats[1]!.rest('GET', '/v1/accounts')).body;
      expect(data).toMatchObject([{ brand_id: brand, platform: 'bluesky' }]);
    });

    it('let as many posts and brands pass as the plan has, however many are asked for at once', async () => {
      const [account] = (await seats[0].rest('GET', '/v1/accounts')).body.data;
      const before = (await seats[0].rest('GET', '/v1/usage')).body;
      const left = before.posts_limit - before.posts_used;
      const post = { account_ids: [account.id], scheduled_at: '2099-01-01T00:00:00Z' };
      const answers = await askAll(seats, CALLS, (seat, n) =>
        seat.rest('POST', '/v1/posts', { text: `Post ${n}`, ...post }),
      );
      expect(tally(answers)).toEqual({ '201 done': left, '429 validation.post_limit_exhausted': CALLS - left });
      const brands = await askAll(seats, 20, (seat, n) => seat.rest('POST', '/v1/brands', { name: `Brand ${n}` }));
      const room = before.brands_limit - before.brands_used;
      expect(tally(brands)).toEqual({ ...(room > 0 && { '201 done': room }), '403 billing.brands_limit': 20 - room });
      const usage = (await seats[1]!.rest('GET', '/v1/usage')).body;
      expect([usage.posts_used, usage.brands_used]).toEqual([usage.posts_limit, usage.brands_limit]);
    });
  });
}
