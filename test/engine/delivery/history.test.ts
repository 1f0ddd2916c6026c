import { SECOND, HOUR, DAY } from '#kernel/clock.ts';
import { expect, it, test } from 'vitest';
import { describeStores } from '../../harness/stores/stores.ts';
import { lost, makeWorld, refusal, secondProcess, START, type World } from '../../harness/worlds/delivery.ts';

const INVALID = 'validation.field_invalid';
const CONFLICT = 'resource.conflict';
const NOT_FOUND = 'resource.not_found';

async function delivered(world: World, id: string, amount: number): Promise<void> {
  for (let i = 0; i < amount; i += 1) {
    await world.deliver(1, i % 2 ? 'dm.sent' : 'post.deleted');
    world.clock.move(1);
  }
  expect(await world.rows(id)).toHaveLength(amount);
}

describeStores('the history of an endpoint', (stores) => {
  const it = test.extend('world', () => makeWorld(stores));

  it('is listed newest first with the number of all that match', async ({ world }) => {
    const { delivery, authority } = world;
    const id = await world.endpoint('host', ['post.deleted', 'dm.sent']);
    world.network.receivers.set('host', (_, count) => (count === 3 ? 400 : 200));
    await delivered(world, id, 9);
    const newest = (await world.rows(id)).map((row) => row.id).reverse();

    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await delivery.deliveries.list(authority, id, { limit: 4, cursor });
      expect(page.count).toBe(9);
      expect(page.pagination.has_more).toBe(page.next_cursor !== '');
      seen.push(...page.data.map((row) => row.id));
      cursor = page.next_cursor;
    } while (cursor);
    expect(seen).toEqual(newest);

    const of = async (filter: object) => {
      const page = await delivery.deliveries.list(authority, id, { limit: 50, ...filter });
      expect(page.data).toHaveLength(page.count);
      return page.count;
    };
    expect(await of({ status: 'delivered' })).toBe(8);
    expect(await of({ status: 'pending' })).toBe(1);
    expect(await of({ status: 'failed' })).toBe(0);
    expect(await of({ event_type: 'dm.sent' })).toBe(4);
    expect(await of({ event_type: 'post.deleted', status: 'delivered' })).toBe(4);
    expect(await of({ event_type: 'post.deleted', status: 'pending' })).toBe(1);

    const item = (await delivery.deliveries.list(authority, id, { limit: 1 })).data[0];
    const made = { event_type: 'post.deleted', created_at: '2026-11-21T09:30:00.008Z', description: null };
    const ended = { status: 'delivered', attempt_count: 1, response_status_code: 200, response_duration_ms: 7 };
    expect(item).toEqual({ id: newest[0], ...made, ...ended });
  });

  it('pages only by cursors of its own', async ({ world }) => {
    const { delivery, authority } = world;
    const id = await world.endpoint('host', ['post.deleted', 'dm.sent']);
    const other = await world.endpoint('other', ['post.deleted', 'dm.sent']);
    await delivered(world, id, 4);
    const { next_cursor: cursor } = await delivery.deliveries.list(authority, id, { limit: 1, event_type: 'dm.sent' });
    expect(cursor).not.toBe('');
    const bare = await delivery.deliveries.list(authority, id, { limit: 1, cursor });
    expect(bare.data[0]!.event_type).toBe('dm.sent');
    const foreign = [
      delivery.deliveries.list(authority, other, { limit: 1, cursor }),
      delivery.deliveries.list(authority, id, { limit: 1, event_type: 'post.deleted', cursor }),
      delivery.deliveries.list(authority, id, { limit: 1, cursor: 'nonsense' }),
    ];
    expect(await Promise.all(foreign.map(refusal))).toEqual(foreign.map(() => [INVALID, 'cursor']));
  });

  it('shows the exact payload and every attempt', async ({ world }) => {
    const { delivery, authority, clock } = world;
    const id = await world.answering('host', (_, count) => (count === 1 ? lost('timeout') : 200));
    await world.deliver();
    clock.move(30 * SECOND);
    await delivery.idle();
    const [row] = await world.rows(id);
    expect(await delivery.deliveries.get(authority, id, row!.id)).toMatchObject({
      endpoint_id: id,
      status: 'delivered',
      error_message: null,
      payload: { event: 'post.deleted', data: { brand_id: 'brd_1', post_id: 'post_0', was_status: 'draft' } },
      attempts: [
        { attempt_number: 1, status_code: null, response_body: null, error_message: expect.stringContaining('there') },
        { attempt_number: 2, status_code: 200, duration_ms: 7, response_body: 'thanks', error_message: null },
      ],
    });
    expect(await refusal(delivery.deliveries.get(authority, id, 'dlv_none'))).toEqual([NOT_FOUND, undefined]);
  });

  it.for([
    ['null', lost('dns'), lost('dns')],
    ['null', lost('connect'), lost('tls')],
    ['null', lost('refused_address'), 200],
    ['the headers', lost('reset'), lost('connect')],
    ['the headers', lost('connect'), 500],
    ['the headers', 404, 200],
  ] as const)(
    'shows %s for the request of an attempt that meets %s, then %s',
    async ([shown, first, then], { world }) => {
      const { delivery, authority } = world;
      const id = await world.answering('host', (_, count) => (count === 1 ? first : then));
      await world.deliver();
      const [row] = await world.rows(id);
      const { attempts } = await delivery.deliveries.get(authority, id, row!.id);
      const sent = world.network.sent.at(-1)!.headers;
      expect(attempts.map(({ request_headers }) => request_headers)).toEqual([shown === 'null' ? null : sent]);
    },
  );

  it('grows by a new delivery when one is sent again', async ({ world }) => {
    const { delivery, authority } = world;
    const id = await world.answering('host', (_, count) => (count === 1 ? 400 : 200));
    await world.deliver();
    const [first] = await world.rows(id);
    world.clock.move(SECOND);
    const again = await delivery.deliveries.retry(authority, id, first!.id);
    const fresh = { status: 'pending', attempt_count: 0, attempts: [], payload: { event: 'post.deleted' } };
    expect(again).toMatchObject({ ...fresh, description: `Retry of ${first!.id}` });
    expect(again.id).not.toBe(first!.id);
    await delivery.idle();
    const rows = await world.rows(id);
    expect(rows[0]).toEqual(first);
    expect(rows[1]).toMatchObject({ id: again.id, status: 'delivered' });
    expect(world.network.sent[1]!.body).toBe(world.network.sent[0]!.body);
    expect(world.network.sent[1]!.headers!['X-Service-Delivery']).toBe(again.id);

    const tested = await delivery.test(authority, id, { event_type: 'x', payload: 1 });
    expect((await refusal(delivery.deliveries.retry(authority, id, tested.delivery_id)))[0]).toBe(CONFLICT);
    await world.update(id, { is_active: false });
    expect((await refusal(delivery.deliveries.retry(authority, id, first!.id)))[0]).toBe(CONFLICT);
    expect((await refusal(delivery.deliveries.retry(authority, id, 'dlv_none')))[0]).toBe(NOT_FOUND);
  });
});

describeStores('a test send', { kinds: ['file', 'postgres'] }, (stores) => {
  const it = test.extend('world', () => makeWorld(stores));

  it('posts the bare payload once and is recorded', async ({ world }) => {
    const { delivery, authority } = world;
    const id = await world.endpoint('host');
    const answer = await delivery.test(authority, id, { event_type: 'my.event', payload: { a: [1] } });
    const response = { response_status_code: 200, response_duration_ms: 7, response_body: 'thanks' };
    const delivered = { status: 'delivered', error_message: null, delivery_id: expect.any(String) };
    expect(answer).toEqual({ ...delivered, ...response });
    const [sent] = world.network.sent;
    expect(sent!.body).toBe('{"a":[1]}');
    expect(sent!.headers).toMatchObject({ 'X-Service-Event': 'my.event', 'X-SocialAPI-Event': 'my.event' });
    expect(Object.keys(sent!.headers!).filter((name) => name.includes('-Delivery'))).toEqual([]);
    const once = { attempt_count: 1, attempts: [{ attempt_number: 1, status_code: 200 }] };
    const test = { description: 'Test delivery', status: 'delivered', event_type: 'my.event', payload: { a: [1] } };
    expect(await delivery.deliveries.get(authority, id, answer.delivery_id)).toMatchObject({ ...test, ...once });
    expect(await world.logs()).toMatchObject([{ action: 'delivery', status: 'success', resource_id: id }]);
  });

  it.for([
    [500, 500],
    [lost('connect'), 0],
  ] as const)('that meets %s fails at once, also at an endpoint that is off', async ([met, code], { world }) => {
    const { delivery, authority } = world;
    const id = await world.answering('host', () => met);
    await world.update(id, { is_active: false });
    const answer = await delivery.test(authority, id, { event_type: 'x', payload: 0 });
    expect(answer).toMatchObject({ status: 'failed', response_status_code: code });
    world.clock.move(DAY);
    await delivery.idle();
    expect(world.network.sent).toHaveLength(1);
    expect(await world.rows(id)).toMatchObject([{ status: 'failed', attempt_count: 1 }]);
    expect(await world.logs()).toMatchObject([{ action: 'delivery', status: 'failed' }]);
  });

  it('cut short by a crash is failed, never sent again', async ({ world }) => {
    const id = await world.answering('host', () => new Promise(() => {}));
    void world.delivery.test(world.authority, id, { event_type: 'x', payload: 0 });
    while (world.network.sent.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const next = await secondProcess(stores, world);
    await next.idle();
    expect(await world.rows(id)).toMatchObject([{ status: 'pending' }]);
    world.clock.move(30 * SECOND);
    await next.idle();
    expect(await world.rows(id)).toMatchObject([{ status: 'failed', error_message: 'interrupted' }]);
    expect(world.network.sent).toHaveLength(1);
  });
});

describeStores('a replay', (stores) => {
  const it = test.extend('world', () => makeWorld(stores));

  it('sends recorded events of a time again, oldest first', async ({ world }) => {
    const { delivery, authority, clock } = world;
    const early = await world.emit(1);
    clock.move(HOUR);
    const since = clock.now();
    const missed = [...(await world.emit(3)), ...(await world.emit(1, 'dm.sent'))];
    clock.move(HOUR);
    const id = await world.endpoint('host');
    const time = { since: '2026-11-21T10:30:00.000Z', until: '2026-11-21T11:30:00.000Z' };
    expect(await delivery.replay(authority, id, { since })).toEqual({ replayed: 3, ...time });
    await delivery.idle();
    const rows = await world.rows(id);
    expect(rows.map((row) => row.description)).toEqual(missed.slice(0, 3).map((event) => `Replay of ${event}`));
    expect(rows.every((row) => row.status === 'delivered')).toBe(true);
    expect(world.network.sent.map(({ headers }) => headers!['X-Service-Delivery'])).toEqual(rows.map((row) => row.id));

    expect(await delivery.replay(authority, id, { since, events: ['dm.sent'] })).toMatchObject({ replayed: 1 });
    expect(await delivery.replay(authority, id, { since: START, until: START })).toMatchObject({ replayed: 1 });
    expect((await world.rows(id)).at(-1)!.event_id).toBe(early[0]);
  });

  it('goes through more events than fit in a step', async ({ world }) => {
    const id = await world.endpoint('host');
    const event = { workspace_id: world.workspace, name: 'post.deleted', body: '{}', created_at: START } as const;
    const rows = Array.from({ length: 1200 }, (_, i) => ({ ...event, id: `evt_${String(i).padStart(5, '0')}` }));
    await world.store.write(({ db }) => db.insertInto('events').values(rows).execute());
    world.clock.move(1);
    expect(await world.delivery.replay(world.authority, id, { since: START })).toMatchObject({ replayed: 1200 });
    const made = await world.rows(id);
    expect(made.map((row) => row.event_id)).toEqual(rows.map((row) => row.id));
    expect((await world.delivery.deliveries.list(world.authority, id, { limit: 1 })).count).toBe(1200);
  });

  it('reaches back as far as the plan keeps history', async () => {
    const world = await makeWorld(stores, {}, 'free');
    await world.emit();
    const id = await world.endpoint('host');
    world.clock.move(2 * DAY);
    const answer = await world.delivery.replay(world.authority, id, { since: START });
    expect(answer).toMatchObject({ replayed: 0, since: '2026-11-22T00:00:00.000Z' });
  });

  it('is refused where it makes no sense', async ({ world }) => {
    const { delivery, authority } = world;
    const id = await world.endpoint('host');
    const backwards = delivery.replay(authority, id, { since: START + 1, until: START });
    expect(await refusal(backwards)).toEqual([INVALID, 'since']);
    const unknown = delivery.replay(authority, id, { since: START, events: ['post.exploded'] });
    expect(await refusal(unknown)).toEqual([INVALID, 'events']);
    await world.update(id, { is_active: false });
    expect((await refusal(delivery.replay(authority, id, { since: START })))[0]).toBe(CONFLICT);
  });
});

describeStores('the sweep of history', (stores) => {
  it('keeps whole days, as many as the plan says, and what is still pending', async () => {
    const world = await makeWorld(stores, {}, 'starter');
    const { delivery, clock } = world;
    const id = await world.endpoint('host');
    const left = async () => (await world.rows(id)).length;
    await world.deliver(3);
    clock.move(DAY);
    await world.emit(2);
    clock.move(7 * DAY - (START % DAY) - 1);
    expect(await delivery.sweep()).toBe(0);
    expect(await left()).toBe(5);
    clock.move(1);
    while ((await delivery.sweep()) > 0);
    expect(await left()).toBe(2);
    clock.move(30 * DAY);
    expect(await delivery.sweep()).toBe(0);
    expect(await left()).toBe(2);
    await delivery.idle();
    while ((await delivery.sweep()) > 0);
    expect(await left()).toBe(0);
  });
});
