import fc from 'fast-check';
import { expect } from 'vitest';
import type { InboundEvent } from '#platforms/inbound.ts';
import { commented, DAWN, said, thread } from '../harness/platforms/inbound.ts';
import type { Stores } from '../harness/stores/stores.ts';
import { makeInboxWorld, type InboxWorld } from '../harness/worlds/inbound.ts';

type Said = Readonly<{ fact: InboundEvent; id: string; at: number; who: string; ours: boolean }>;

/** Messages of three people and us, at times of which some are the same. */
const saids = fc
  .array(fc.record({ who: fc.constantFrom('ann', 'bob', 'cid'), at: fc.nat(20), ours: fc.boolean() }), {
    minLength: 1,
    maxLength: 12,
  })
  .map((all) =>
    all.map(({ who, at, ours }, n): Said => {
      const id = `m${n}`;
      const fact = said(id, { created_at: DAWN + at, direction: ours ? 'outgoing' : 'incoming' }, thread(who));
      return { fact, id, at: DAWN + at, who, ours };
    }),
  );

const schedule = fc.record({
  said: saids,
  comments: fc.array(fc.record({ gone: fc.boolean() }), { maxLength: 6 }),
  /** Where each push of a shuffled, doubled telling is cut, which of them are forged, and when work is done. */
  order: fc.infiniteStream(fc.nat()),
  cuts: fc.infiniteStream(fc.integer({ min: 1, max: 4 })),
  forged: fc.infiniteStream(fc.integer({ min: 0, max: 4 }).map((n) => n === 0)),
  works: fc.infiniteStream(fc.constantFrom('none', 'first', 'second', 'both')),
});

/** Pushes in any order, repeated, forged, and taken in by two processes, come to the same. */
export async function anyPushes(stores: Stores, numRuns: number): Promise<void> {
  const world = await makeInboxWorld(stores);
  const other = await world.second();
  await fc.assert(
    fc.asyncProperty(schedule, async ({ said: all, comments, order, cuts, forged, works }) => {
      const account = await world.account();
      const facts: InboundEvent[] = [
        ...all.map(({ fact }) => fact),
        ...comments.flatMap(({ gone }, n): InboundEvent[] => [
          commented(`c${n}`),
          ...(gone ? [{ kind: 'comment_gone', platform_id: `c${n}` } as const] : []),
        ]),
      ];
      const keys = order[Symbol.iterator]();
      const told = [...facts, ...facts]
        .map((fact) => [keys.next().value as number, fact] as const)
        .toSorted(([a], [b]) => a - b)
        .map(([, fact]) => fact);
      const next = <T>(stream: Iterator<T>): T => stream.next().value as T;
      for (let at = 0; at < told.length;) {
        const size = next(cuts[Symbol.iterator]());
        const some = told.slice(at, at + size);
        at += size;
        if (next(forged[Symbol.iterator]())) {
          const lies = [commented('forged'), said('forged'), ...some];
          await expect(world.push(account, lies, 'guessed')).rejects.toThrow();
        }
        await world.push(account, some);
        const who = next(works[Symbol.iterator]());
        if (who === 'first' || who === 'both') void (await world.jobs.tick());
        if (who === 'second' || who === 'both') void (await other.jobs.tick());
      }
      await world.settle([world, other]);
      await expectModel(world, account.id, all, comments);
    }),
    { numRuns },
  );
}

/** A push of many things is taken in by steps. */
export async function manyThings(world: InboxWorld, count: number): Promise<void> {
  const account = await world.account();
  const facts = Array.from({ length: count }, (_, n) => said(`m${n}`, { created_at: DAWN + n }));
  await world.pushed(account, facts);
  expect((await world.rows('messages')).length).toBe(count);
  const last_message = `message m${count - 1}`;
  expect(await world.rows('conversations')).toMatchObject([{ unread_count: count, last_message }]);
}

async function expectModel(
  world: InboxWorld,
  accountId: string,
  all: readonly Said[],
  comments: readonly Readonly<{ gone: boolean }>[],
): Promise<void> {
  const mine = <T extends { account_id: string }>(rows: readonly T[]) =>
    rows.filter((row) => row.account_id === accountId);
  const byTime = (a: Said, b: Said) => a.at - b.at || (a.id < b.id ? -1 : 1);
  const messages = mine(await world.rows('messages'));
  expect(messages.map(({ platform_id }) => platform_id as string).toSorted()).toEqual(
    all.map(({ id }) => id).toSorted(),
  );
  const conversations = mine(await world.rows('conversations'));
  expect(conversations.length).toBe(new Set(all.map(({ who }) => who)).size);
  for (const row of conversations) {
    const own = all.filter(({ who }) => who === row.platform_id).toSorted(byTime);
    const last = own.at(-1)!;
    const incoming = own.filter(({ ours }) => !ours);
    expect(row).toMatchObject({
      last_message: `message ${last.id}`,
      last_message_at: last.at,
      unread_count: incoming.length,
      last_incoming_at: incoming.at(-1)?.at ?? null,
    });
  }
  const stored = mine(await world.rows('comments'));
  expect(stored.length).toBe(comments.length);
  const visible = stored.filter(({ gone_at }) => gone_at === null).map(({ platform_id }) => platform_id as string);
  expect(visible.toSorted()).toEqual(comments.flatMap(({ gone }, n) => (gone ? [] : [`c${n}`])).toSorted());
  const events = (await world.events()).filter(({ data }) => data.account_id === accountId);
  const told = events.map(({ event, data }) => `${event} ${data.platform_id}`);
  expect(new Set(told).size).toBe(told.length);
  const must = [
    ...all.map(({ id, ours }) => `${ours ? 'dm.sent' : 'dm.received'} ${id}`),
    ...comments.flatMap(({ gone }, n) => (gone ? [] : [`comment.received c${n}`])),
  ];
  const may = new Set(comments.map((_, n) => `comment.received c${n}`));
  expect(must.filter((one) => !told.includes(one))).toEqual([]);
  expect(told.filter((one) => !must.includes(one) && !may.has(one))).toEqual([]);
}
