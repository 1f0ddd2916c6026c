import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OWNER, type Browser } from '../../harness/calls/browser.ts';
import { askRest, type Answer, type Json } from '../../harness/calls/requests.ts';
import { openProcesses, until, type Seat } from '../../harness/processes.ts';
import { openFacebook } from '../../harness/repeated.ts';
import { limitedKey, signUp } from '../crash/asking.ts';
import { DATABASES } from '../two-servers.ts';

const ROUNDS = 40;
/** How much later the second of two requests is sent, from round to round: one may meet each part of the other. */
const STEPS_MS = [0, 0, 4, 8, 16, 32, 64, 128];
const TIMEOUT_MS = 600_000;
const LOOK_MS = 50;
const MOVING: ReadonlySet<string> = new Set(['approved', 'running']);

/** What happens at the same moment: the two in turn are the first. */
async function race<A, B>(round: number, one: () => Promise<A>, other: () => Promise<B>): Promise<[A, B]> {
  const later = async <T>(ask: () => Promise<T>) => {
    await pause(STEPS_MS[(round >> 1) % STEPS_MS.length]);
    return ask();
  };
  return round % 2 === 0 ? Promise.all([one(), later(other)]) : Promise.all([later(one), other()]);
}

describe.each(DATABASES)('two servers on $name, at the same moment', { timeout: TIMEOUT_MS }, (database) => {
  if (database.missing !== undefined) return;
  let world: Awaited<ReturnType<typeof openProcesses>>;
  let first: Seat;
  let second: Seat;
  let browser: Browser;
  let deciding: string;
  let facebook: Awaited<ReturnType<typeof openFacebook>>;

  beforeAll(async () => {
    world = await openProcesses();
    const seats = await world.servers(2, await database.open());
    [first, second] = seats as [Seat, Seat];
    let turn = 0;
    const nextPort = () => Number(new URL(seats[turn++ % 2]!.root()).port);
    browser = await signUp(first, world.address, nextPort);
    facebook = await openFacebook(world, first);
    const limits = { preset: 'read', decides: 'yes', password: OWNER.password };
    deciding = (await limitedKey(first, browser, limits)).key;
  }, TIMEOUT_MS);
  afterAll(() => world?.close());

  const far = new Date(Date.now() + 30 * 86_400_000).toISOString();
  const draft = async (text: string): Promise<string> =>
    (await first.rest('POST', '/v1/posts', { text, account_ids: [facebook.account] })).body.id;
  const postOf = async (id: string): Promise<Json> => (await first.rest('GET', `/v1/posts/${id}`)).body;
  const held = async (key: string, call: string, body: object): Promise<Json> => {
    const { status, body: action } = await askRest(first.root(), key, call, body);
    expect([call, status, action.status]).toEqual([call, 202, 'held']);
    return actionOf(action.id);
  };
  const actionOf = async (id: string): Promise<Json> =>
    (await askRest(second.root(), deciding, `GET /v1/actions/${id}`)).body;
  const approve = ({ id, etag }: Json): Promise<Answer> =>
    askRest(first.root(), deciding, `POST /v1/actions/${id}/approve`, { etag });
  /** An action of which nobody makes more any more. */
  const settled = (id: string): Promise<Json> =>
    until(async () => {
      const action = await actionOf(id);
      return MOVING.has(action.state) ? undefined : action;
    }, LOOK_MS);

  it('do what was approved, or what somebody makes of the draft meanwhile, and never both', async () => {
    const { key } = await limitedKey(first, browser, { preset: 'ask' });
    for (let round = 0; round < ROUNDS; round += 1) {
      const text = `As approved ${round}`;
      const changed = `As changed ${round}`;
      const id = await draft(text);
      const action = await held(key, `POST /v1/posts/${id}/publish`, {});
      const [approved, scheduled] = await race(
        round,
        () => approve(action),
        () => second.rest('PATCH', `/v1/posts/${id}`, { text: changed, scheduled_at: far }),
      );
      expect([200, 409]).toContain(approved.status);
      const { state } = await settled(action.id);
      const isDone = state === 'done';
      const { status, text: now } = await postOf(id);
      const counts = [await facebook.kinds.post.count(text), await facebook.kinds.post.count(changed)];
      expect([round, scheduled.status === 200, counts, status, now]).toEqual(
        isDone ? [round, false, [1, 0], 'published', text] : [round, true, [0, 0], 'scheduled', changed],
      );
    }
  });

  it('let no connection that writes drafts change a post that a person schedules', async () => {
    const { key } = await limitedKey(first, browser, { preset: 'draft' });
    for (let round = 0; round < ROUNDS; round += 1) {
      const id = await draft(`Draft ${round}`);
      const theirs = `As a person wants it ${round}`;
      const [mine, scheduled] = await race(
        round,
        () => askRest(first.root(), key, `PATCH /v1/posts/${id}`, { text: `Mine ${round}` }),
        () => second.rest('PATCH', `/v1/posts/${id}`, { text: theirs, scheduled_at: far }),
      );
      expect([200, 403]).toContain(mine.status);
      const { status, text } = await postOf(id);
      expect([round, scheduled.status, status, text]).toEqual([round, 200, 'scheduled', theirs]);
    }
  });

  it.each(['the end of it', 'the end of its key'])(
    'begin nothing of a connection once %s is answered',
    async (what) => {
      for (let round = 0; round < ROUNDS / 4; round += 1) {
        const { id: keyId, key, connection } = await limitedKey(first, browser, { preset: 'ask' });
        const texts = Array.from({ length: 5 }, (_, at) => `After ${what} ${round}.${at}`);
        const post = (text: string) => ({ text, account_ids: [facebook.account], publish_now: true });
        const actions = await Promise.all(texts.map((text) => held(key, 'POST /v1/posts', post(text))));
        const page = await browser.open('/dashboard/assistants');
        const end = async () => {
          const ended = await browser.submit(page, { connection_id: connection }, '/dashboard/assistants/end');
          expect(ended.headers.location).toBe('/dashboard/assistants');
        };
        const revoke = async () => expect((await second.rest('DELETE', `/v1/keys/${keyId}`)).status).toBe(200);
        await race(round * 2, () => Promise.all(actions.map(approve)), what === 'the end of it' ? end : revoke);
        const then = await Promise.all(actions.map(({ id }) => actionOf(id)));
        for (const [at, { id }] of actions.entries()) {
          const { state } = await settled(id);
          const outcome = [texts[at], then[at]!.state, state, await facebook.kinds.post.count(texts[at]!)];
          if (state === 'done')
            expect(outcome).toEqual([texts[at], expect.stringMatching(/^(running|done)$/), state, 1]);
          else
            expect(outcome).toEqual([texts[at], expect.any(String), expect.stringMatching(/^(failed|withdrawn)$/), 0]);
        }
        for (const { root } of [first, second]) {
          await until(async () => (await askRest(root(), key, 'GET /v1/posts')).status === 401 || undefined, LOOK_MS);
        }
      }
    },
  );
});
