import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeProtectedHeader } from 'jose';
import { describe, expect, it } from 'vitest';
import { openStore } from '#db/store/open.ts';
import { productStore } from '#db/outbox/outbox.ts';
import { makeKeys } from '#oauth/keys.ts';
import { MINUTE, fileClock } from '#kernel/clock.ts';
import { makeSealer } from '#kernel/seal.ts';
import { askRest, type Answer } from '../harness/calls/requests.ts';
import { makeFolder, replaceFile } from '../harness/folders.ts';
import type { Product } from './clients/product.ts';
import {
  brands,
  DATABASES,
  exchange,
  me,
  refresh,
  register,
  startPair,
  type Pair,
  type Tokens,
} from './two-servers.ts';

const ROUNDS = 60;

const outcome = ({ status, body }: Answer) => (status === 200 ? 'won' : `${status} ${body.error}`);

/** Asks both servers at the same moment, each first in every other round; one wins. */
async function race({ first, second }: Pair, round: number, attempt: (server: Product) => Promise<Answer>) {
  const order = round % 2 === 0 ? [first, second] : [second, first];
  const answers = await Promise.all(order.map(attempt));
  expect([round, ...answers.map(outcome).sort()]).toEqual([round, '400 invalid_grant', 'won']);
  return answers.find(({ status }) => status === 200)!.body as Tokens;
}

async function expectToWork({ servers, person }: Pair, tokens: Tokens): Promise<void> {
  for (const { status, body } of await Promise.all(servers.map((server) => me(server, tokens))))
    expect([status, body.email]).toEqual([200, person.email]);
}

async function stop({ servers }: Pair): Promise<void> {
  for (const ended of await Promise.all(servers.map((server) => server.stop()))) {
    expect(ended).toMatchObject({ code: 0, signal: null, stderr: '' });
    expect(ended.stdout).not.toMatch(/"level":"(?:error|fatal)"/);
  }
}

/** Adds a signing key as the sweep of a third process does. */
async function rotate({ place, masterKey }: Pair, clockFile: string): Promise<void> {
  const clock = fileClock(clockFile, (file) => readFileSync(file, 'utf8'));
  const store = await openStore(place);
  try {
    await makeKeys({ store: productStore(store, clock), clock, sealer: makeSealer([masterKey]) }).rotate();
  } finally {
    await store.close();
  }
}

const skipped = (missing: string | undefined) => (missing === undefined ? '' : ` [skipped: ${missing}]`);

for (const database of DATABASES) {
  describe.skipIf(database.missing !== undefined)(`two servers on ${database.name}${skipped(database.missing)}`, () => {
    it('let exactly one exchange of a code win, and its tokens work at both', async () => {
      const pair = await startPair(database);
      for (let round = 0; round < ROUNDS; round += 1) {
        const issued = await pair.codeFor();
        const tokens = await race(pair, round, (server) => exchange(server, pair.client, issued));
        await expectToWork(pair, tokens);
        const next = await refresh(pair.servers[round % 2]!, pair.client, tokens.refresh_token);
        expect([round, next.status]).toEqual([round, 200]);
      }
      await stop(pair);
    });

    it('let exactly one use of a refresh token win, and the family of the loser goes on', async () => {
      const pair = await startPair(database);
      let tokens = await pair.tokens();
      for (let round = 0; round < ROUNDS; round += 1) {
        const { refresh_token } = tokens;
        tokens = await race(pair, round, (server) => refresh(server, pair.client, refresh_token));
        await expectToWork(pair, tokens);
      }
      const last = await refresh(pair.first, pair.client, tokens.refresh_token);
      expect(last.status).toBe(200);
      await expectToWork(pair, last.body as Tokens);
      await stop(pair);
    });

    it('count the registrations of an address together', async () => {
      const { first, second } = await startPair(database);
      const tries = Array.from({ length: 24 }, (_, n) => register(n % 2 === 0 ? first : second, '203.0.113.7'));
      const refused = (await Promise.all(tries)).filter(({ status }) => status !== 201);
      expect(refused).toHaveLength(4);
      for (const { status, headers } of refused)
        expect([status, Number(headers.get('Retry-After')) > 0]).toEqual([429, true]);
      for (const server of [first, second]) {
        expect((await register(server, '203.0.113.7')).status).toBe(429);
        expect((await register(server, '203.0.113.8')).status).toBe(201);
      }
    });

    it('end the tokens of a user who is deleted at one of them', async () => {
      const pair = await startPair(database);
      const { first, second, client, browser } = pair;
      // Whoever is signed in is sent on by that page; the browser asks the servers in turn.
      const signedIn = async () =>
        [await browser.open('/sign-in'), await browser.open('/sign-in')].map(({ status }) => status === 302);
      const tokens = await pair.tokens();
      for (const server of pair.servers) expect((await brands(server, tokens)).body.count).toBe(1);
      expect(await signedIn()).toEqual([true, true]);
      const issued = await pair.codeFor();
      expect((await me(first, tokens, 'DELETE')).status).toBe(200);

      expect(outcome(await refresh(second, client, tokens.refresh_token))).toBe('400 invalid_grant');
      expect(outcome(await exchange(second, client, issued))).toBe('400 invalid_grant');
      // Elsewhere the user may be remembered for another second.
      let answer = await brands(second, tokens);
      while (answer.status === 200) answer = await brands(second, tokens);
      for (const { status, body } of [answer, await brands(first, tokens)])
        expect([status, body.error.code]).toEqual([401, 'auth.user_not_found']);
      expect(await signedIn()).toEqual([false, false]);
    });

    it('publish a new signing key within a minute, and both take its tokens once it signs', async () => {
      const file = join(makeFolder(), 'clock');
      const moveTo = (aheadMs: number) => replaceFile(file, String(aheadMs));
      moveTo(0);
      const pair = await startPair(database, { NODE_ENV: 'test', CLOCK_FILE: file });
      const { first, second, client } = pair;
      const kids = async (server: Product): Promise<string[]> =>
        (await askRest(server.url, null, 'GET /.well-known/jwks.json')).body.keys.map(
          ({ kid }: { kid: string }) => kid,
        );
      const renew = async (server: Product, { refresh_token }: Tokens): Promise<Tokens> => {
        const { status, body } = await refresh(server, client, refresh_token);
        expect(status).toBe(200);
        return body as Tokens;
      };
      const signerOf = ({ access_token }: Tokens) => decodeProtectedHeader(access_token).kid;

      const early = await pair.tokens();
      const [old] = await kids(first);
      expect(await kids(second)).toEqual([old]);
      expect(signerOf(early)).toBe(old);
      await rotate(pair, file);

      moveTo(MINUTE);
      const both = await kids(first);
      expect(both).toEqual([old, expect.any(String)]);
      expect(await kids(second)).toEqual(both);
      const announced = await renew(first, early);
      expect(signerOf(announced)).toBe(old);

      moveTo(5 * MINUTE);
      const late = await renew(second, announced);
      expect(signerOf(late)).toBe(both[1]);
      for (const tokens of [late, announced, early]) await expectToWork(pair, tokens);
      expect(signerOf(await renew(first, late))).toBe(both[1]);
    });
  });
}
