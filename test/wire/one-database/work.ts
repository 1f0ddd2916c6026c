import { SECOND, MINUTE } from '#kernel/clock.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openProcesses, until, type Answer, type Json, type Processes, type Seat } from '../../harness/processes.ts';
import { aimsOf, FAULTS, lastRequest, upset, type Aim } from '../../platforms/conformance/checks/faults.ts';
import { doorOf, placeOf } from '../../platforms/conformance/process.ts';
import { isUnknown, wrongsOf } from '../../platforms/conformance/checks/outcome.ts';
import { loseRenewals, renewals, statusAfterLoss, statusOf } from '../../platforms/conformance/checks/refreshing.ts';
import { openScenes, type Place } from '../../platforms/conformance/scene.ts';
import type { Door, PostCase, Scene, SendCase, Subject } from '../../platforms/conformance/subject.ts';
import { nameOf, SUBJECTS } from '../../platforms/conformance/subjects.ts';
import type { DATABASES } from '../two-servers.ts';

/** The time of all passes by so much every look. */
const LOOK_MS = 250;
const STEP_MS = 6 * SECOND;
/** How far ahead posts are scheduled, so that both servers find them due at the same moment. */
const AHEAD_MS = 3 * MINUTE;
/** How often a client asks again that the platform did not answer, or that nobody can tell. */
const TRIES = 8;
/** For what a platform is asked, which waits for its turn and for the limits of the platform. */
const TIMEOUT_MS = 300_000;
const AGAIN_MS = SECOND;
/** How often is looked within a minute of the clock, so that a slow machine begins and ends a request within its lease. */
const LOOKS_A_MINUTE = 20;
const EVENTS = ['post.published', 'post.failed', 'post.partial', 'dm.sent'];

type Database = (typeof DATABASES)[number];
type Case = Readonly<{ kind: string; one: PostCase; text: string; id: string }>;

/** Two servers on one database, their simulators, and an account of every subject with something to answer. */
async function openPair(database: Database): Promise<Pair> {
  const world = await openProcesses({ oneClock: true });
  try {
    return await openOn(world, await database.open());
  } catch (error) {
    await world.close();
    throw error;
  }
}

async function openOn(world: Processes, env: Readonly<Record<string, string>>) {
  const seats = await world.servers(2, env);
  const [first, second] = seats as [Seat, Seat];
  const hook = await first.rest('POST', '/v1/webhooks', { url: world.receiver.url, events: EVENTS });
  expect(hook.status).toBe(201);

  const place: Place = placeOf(world, first);
  const scenes = new Map((await openScenes(place, SUBJECTS)).map(({ subject, scene }) => [subject, scene]));
  const ticking = setInterval(() => first.pass(STEP_MS), LOOK_MS);
  return Object.freeze({
    ...world,
    doors: [doorOf(world, first), doorOf(world, second)] as readonly [Door, Door],
    seats,
    pass: first.pass,
    now: first.now,
    sceneOf: (subject: Subject) => scenes.get(subject)!,
    /** Ends the passing of time by itself. */
    hold: () => clearInterval(ticking),
    async close() {
      clearInterval(ticking);
      await world.close();
    },
  });
}

type Pair = Awaited<ReturnType<typeof openOn>>;

/** Asks both servers for the same thing with one key at the same moment, again and again until there is an answer. */
async function askBoth({ seats }: Pair, call: string, body: object, key: string): Promise<readonly Answer[]> {
  const [method, path] = call.split(' ') as [string, string];
  const ask = (seat: Seat): Promise<Answer> =>
    until(async () => {
      const answer = await seat.rest(method, path, body, { 'Idempotency-Key': key.replaceAll(/[^\w-]/g, '-') });
      return answer.status === 409 && answer.headers.has('retry-after') ? undefined : answer;
    }, LOOK_MS);
  return Promise.all(seats.map(ask));
}

/** A post that is final, once whoever can be asked has said what became of it. */
async function finalPost({ doors }: Pair, id: string, turn: number): Promise<Json> {
  return until(async () => {
    const { rest } = doors[turn % 2]!;
    const post = (await rest(`GET /v1/posts/${id}`)).body;
    const isPending = post.results.some(({ metadata }: Json) => metadata?.first_comment_status === 'pending');
    if (post.status === 'publishing' || post.status === 'scheduled' || isPending) return undefined;
    if (!isUnknown(post)) return post;
    const again = await rest(`POST /v1/posts/${id}/retry`);
    return again.status === 200 ? undefined : post;
  }, LOOK_MS);
}

/** What is asked for to publish a post of a kind. */
const inputOf = async ({ input }: PostCase, scene: Scene, text: string) => ({
  text,
  account_ids: [scene.account],
  ...(await input(scene, text, [scene.account])),
});

/** Publishes one post of each kind, all due at once for both servers; what is wrong with any of them. */
async function publishAll(pair: Pair, subject: Subject): Promise<readonly unknown[]> {
  const scene = pair.sceneOf(subject);
  const cases: Case[] = [];
  for (const [kind, one] of Object.entries(subject.posts)) {
    const { rest } = pair.doors[cases.length % 2]!;
    const text = scene.text(`${nameOf(subject)} ${kind}`);
    const input = await inputOf(one, scene, text);
    const scheduled_at = new Date(pair.now() + AHEAD_MS).toISOString();
    const { status, body } = await rest('POST /v1/posts', { ...input, scheduled_at });
    expect([kind, status, body.error]).toEqual([kind, 201, undefined]);
    cases.push({ kind, one, text, id: body.id });
  }
  const outcomes = await Promise.all(
    cases.map(async ({ kind, one, text, id }, index) => {
      const post = await finalPost(pair, id, index);
      const told = await until(async () => {
        const { body } = await scene.rest(`GET /v1/posts/${id}`);
        const ids = pair.receiver.received.filter(({ body: event }) => event.data['post_id'] === id);
        const events = new Set(ids.map(({ headers }) => headers['x-service-delivery']));
        return events.size > body.retry_count ? events.size - body.retry_count : undefined;
      }, LOOK_MS);
      const wrongs = wrongsOf(post, await one.seen(scene, text), one);
      return wrongs.length > 0 || told !== 1 ? [[kind, post.results[0]?.error, ...wrongs, `${told} events`]] : [];
    }),
  );
  return outcomes.flat();
}

/** Sends one thing through both servers at once until it is answered, and counts it; what is wrong. */
async function sendOnce(pair: Pair, subject: Subject, [kind, one]: readonly [string, SendCase], about: unknown) {
  const scene = pair.sceneOf(subject);
  const text = scene.text(`${nameOf(subject)} ${kind}`);
  const ask = () => askBoth(pair, one.call(scene), one.ask(scene, text), text);
  let answers = await ask();
  for (let tries = 0; tries < TRIES && answers.some(({ status }) => status !== 200);) {
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    // Who asks too often is to wait, minutes long at some platforms, and has lost no try by it.
    if (!answers.some(({ status }) => status === 429)) tries += 1;
    // Nobody can tell, and no repeat with this key will send it.
    if (one.unfindable && answers.every(({ status }) => status === 200 || status === 502)) break;
    answers = await ask();
  }
  const seen = await one.seen(scene, text);
  const statuses = answers.map(({ status }) => status);
  const isSent = statuses.every((status) => status === 200) && seen === 1;
  const isDoubtful = one.unfindable === true && statuses.every((status) => [200, 502].includes(status)) && seen <= 1;
  return isSent || isDoubtful ? [] : [[kind, about, statuses, answers[0]!.body.error?.code, `seen ${seen} times`]];
}

const names = SUBJECTS.map((subject) => [nameOf(subject), subject] as const);

/** Has two servers do on one database what every platform has, each thing at the same moment, while answers are lost. */
export function workTogether(database: Database): void {
  let pair: Pair;
  /** The requests that posts and sends of a subject have made so far. */
  const aims = new Map<Subject, readonly Aim[]>();
  const made = async <T>(subject: Subject, work: () => Promise<T>): Promise<T> => {
    const before = await lastRequest(pair.doors[0]);
    const done = await work();
    // On a slow machine, sessions are renewed meanwhile. Losing that answer would end those that cannot be renewed twice.
    const asked = await aimsOf(pair.doors[0], subject.platform.slug, before);
    aims.set(
      subject,
      asked.filter(({ method }) => method !== subject.refresh?.method),
    );
    return done;
  };
  beforeAll(async () => {
    pair = await openPair(database);
  });
  afterAll(() => pair?.close());

  describe.concurrent('that work at the same things', { timeout: TIMEOUT_MS }, () => {
    it.each(names)('publish each kind of post on %s once, whatever goes wrong', async (_name, subject) => {
      expect(await made(subject, () => publishAll(pair, subject))).toEqual([]);
      for (const [index, aim] of aims.get(subject)!.entries())
        await upset(pair.doors[0], aim, FAULTS[index % FAULTS.length]!);
      expect(await publishAll(pair, subject)).toEqual([]);
      const [one] = Object.values(subject.posts);
      if (one === undefined) return;
      const scene = pair.sceneOf(subject);
      const text = scene.text(`${nameOf(subject)} asked twice`);
      const input = { publish_now: true, ...(await inputOf(one, scene, text)) };
      const answers = await askBoth(pair, 'POST /v1/posts', input, text);
      const { id } = answers[0]!.body;
      expect(answers.map(({ body }) => body.id)).toEqual([id, id]);
      expect(wrongsOf(await finalPost(pair, id, 0), await one.seen(scene, text), one)).toEqual([]);
    });
  });

  describe.concurrent('that are asked for one thing', { timeout: TIMEOUT_MS }, () => {
    it.each(names)('send each kind of answer on %s once, whatever goes wrong', async (_name, subject) => {
      const wrongs: unknown[] = [];
      for (const one of Object.entries(subject.sends)) {
        wrongs.push(...(await made(subject, () => sendOnce(pair, subject, one, 'nothing'))));
        for (const aim of aims.get(subject)!)
          for (const fault of FAULTS) {
            await upset(pair.doors[0], aim, fault);
            wrongs.push(...(await sendOnce(pair, subject, one, [fault, aim.method])));
          }
      }
      expect(wrongs).toEqual([]);
    });
  });

  // Time goes on for all of them: whose sessions are renewed first comes first.
  const renewing = names.flatMap(([name, subject]) =>
    subject.refresh ? [[name, subject, subject.refresh] as const] : [],
  );
  it.each(renewing.toSorted(([, , a], [, , b]) => a.dueMs - b.dueMs))(
    'renew a session of %s once for both, and come to an end where the answer is lost',
    async (_name, subject, refresh) => {
      const { slug: network } = subject.platform;
      const [door] = pair.doors;
      const { account } = pair.sceneOf(subject);
      const counts = async (after: number) =>
        Object.values(await renewals(door, { network, method: refresh.method, after }));
      const settle = async (after: number) => {
        let looks = 0;
        await until(async () => {
          if (looks++ % LOOKS_A_MINUTE === 0) pair.pass(MINUTE);
          return (await counts(after)).length > 0 || undefined;
        }, LOOK_MS);
      };
      pair.hold();
      await door.control('faults/clear', {});
      // Without a session, the wait for its renewal would never end.
      expect(await statusOf(door, account)).toBe('active');
      const before = await lastRequest(door);
      pair.pass(refresh.dueMs);
      // Both are asked for what needs the session, while both look for what is due by themselves.
      const limits = () => Promise.all(pair.doors.map(({ rest }) => rest(`GET /v1/accounts/${account}/limits`)));
      await limits();
      await settle(before);
      await limits();
      expect([await counts(before), await statusOf(door, account)]).toEqual([[1], 'active']);

      await loseRenewals(door, { network, method: refresh.method, after: before });
      const lost = await lastRequest(door);
      pair.pass(refresh.dueMs);
      await limits();
      await settle(lost);
      for (let minutes = 0; minutes < 10; minutes += 1) {
        pair.pass(MINUTE);
        await limits();
      }
      const tries = await counts(lost);
      // Minutes pass so quickly here that a lease may end while its holder still waits for an answer.
      const loops = tries.filter((n) => n > 6);
      expect(loops).toEqual([]);
      // The last try may still be on its way when these minutes have passed, or wait for later ones.
      const later = () => {
        pair.pass(STEP_MS);
        return statusOf(door, account);
      };
      await expect.poll(later, { interval: LOOK_MS }).toBe(statusAfterLoss(refresh));
    },
  );
}
