import { expect, onTestFinished } from 'vitest';
import type { AccountRow } from '#db/access/accounts.ts';
import type { StoreOptions } from '#db/store/open.ts';
import type { Surroundings } from '#compose/index.ts';
import { record } from '#engine/inbox/record/record.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import type { Platform } from '#platforms/platform.ts';
import type { InboundEvent } from '#platforms/inbound.ts';
import type { PlatformMessage } from '#platforms/inbox-types.ts';
import { makeSocial, socialPlatforms, type Social } from '../platforms/social.ts';
import { makeWorld, type World, type Json } from '../world.ts';
import { call, type Reply } from '../calls/operations.ts';

export type Stage = Awaited<ReturnType<typeof makeStage>>;

/** A whole server with fake platforms; `more` are others beside them, or instead, which may be on the same network. */
export async function makeStage(
  surroundings: Partial<Surroundings> = {},
  more: readonly Platform[] | ((net: Social) => readonly Platform[]) = [],
  place?: StoreOptions,
) {
  const net = makeSocial();
  const others = typeof more === 'function' ? more(net) : more;
  const platforms = new Map([...socialPlatforms(net), ...others.map((one) => [one.slug, one] as const)]);
  const world = await makeWorld({ surroundings: { ...surroundings, platforms }, ...(place && { store: place }) });
  onTestFinished(net.release);
  const { store } = world.product;

  /** Reports to the inbox what happened. */
  async function tell(account: { id: string }, events: readonly InboundEvent[], { silent = false } = {}) {
    await store.write((tx) => record(tx, account, events, { silent, now: world.clock.now() }));
  }

  return {
    world,
    net,
    tell,
    /** Connects somebody by the name the network knows them by; answers the account. */
    async connect(
      platform: PlatformSlug,
      token = 'ours',
      { brand, key = world.key }: { brand?: string; key?: string } = {},
    ): Promise<AccountRow> {
      const ask = { platform, brand_id: brand, metadata: { token } };
      const { status, body } = await world.rest('POST /v1/accounts/connect', ask, { key });
      expect([body, status]).toMatchObject([{}, 201]);
      await world.settle();
      return store.db.selectFrom('accounts').selectAll().where('id', '=', body.account_id).executeTakeFirstOrThrow();
    },
    /** A conversation with one message of a person; answers its id. */
    async converse(account: { id: string }, more: Readonly<{ thread?: string; page?: string; at?: number }> = {}) {
      const { thread = 'thread', page, at = world.clock.now() - 60_000 } = more;
      const conversation = { platform_id: thread, page_id: page, participant: { id: `fan-${thread}`, name: 'Fan' } };
      await tell(account, [{ kind: 'message', conversation, message: aMessage(`hello-${thread}`, at) }]);
      const row = await store.db
        .selectFrom('conversations')
        .select('id')
        .where('account_id', '=', account.id)
        .where('platform_id', '=', thread)
        .executeTakeFirstOrThrow();
      return row.id;
    },
  };
}

/** A message of a person. */
export function aMessage(id: string, created_at: number, more: Partial<PlatformMessage> = {}): PlatformMessage {
  return { platform_id: id, direction: 'incoming', text: `Text of ${id}`, attachments: [], created_at, ...more };
}

/** Pages through a list to its end; answers its rows. */
export async function allOf(world: World, name: string, input: object, limit: number): Promise<Json[]> {
  const rows: Json[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < 50; page += 1) {
    const { ok, body } = await call(world, name, { ...input, limit, ...(cursor && { cursor }) });
    expect([name, ok, body.data.length <= limit]).toEqual([name, true, true]);
    expect(body.pagination.next_cursor).toBe(body.next_cursor);
    expect(body.pagination.has_more).toBe(body.next_cursor !== '');
    rows.push(...body.data);
    if (body.next_cursor === '') return rows;
    cursor = body.next_cursor;
  }
  throw new Error(`${name} does not end`);
}

/** Lets the waits of a request end as the network is asked `calls` times in all for an operation. */
export async function whenCalled(net: Social, op: string, calls: number): Promise<void> {
  while (net.callsOf(op) < calls) await new Promise<void>((resolve) => setImmediate(resolve));
}

/** Moves the clock, little by little, until some work that waits by it has ended. */
export async function letTimePass<T>(world: World, work: Promise<T>): Promise<T> {
  let over = false;
  const end = () => void (over = true);
  work.then(end, end);
  while (!over) {
    // A request of ours gives everything under way its turns.
    await world.rest('GET /v1/usage');
    world.clock.move(500);
  }
  return work;
}

/** Expects a refusal of the connector's absence: 501 that names what lacks. */
export async function expectLacking(answer: Promise<Reply>, resource: string, platform: string): Promise<void> {
  const { ok, status, code, meta } = await answer;
  expect([ok, status, code, meta]).toEqual([false, 501, 'resource.not_supported', { resource, platform }]);
}
