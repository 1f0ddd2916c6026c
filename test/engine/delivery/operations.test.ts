import { SECOND, DAY } from '#kernel/clock.ts';
import { expect, test } from 'vitest';
import { describeStores } from '../../harness/stores/stores.ts';
import { authorityOver } from '#kernel/authority.ts';
import { makeWorld, refusal, START } from '../../harness/worlds/delivery.ts';

const url = 'https://host/hook';
const NOT_FOUND = 'resource.not_found';
const NONE = { delivered: 0, failed: 0 };

describeStores('webhook endpoints', (stores) => {
  const it = test.extend('world', () => makeWorld(stores));

  it.for<readonly [object, string, string | undefined]>([
    [{ colour: 'red' }, 'validation.body_invalid', undefined],
    [{ url: null }, 'validation.field_required', 'url'],
    [{ is_active: null }, 'validation.field_invalid', 'is_active'],
  ])('refuse the change %j', async ([input, code, field], { world }) => {
    const id = await world.endpoint('host');
    expect(await refusal(world.update(id, input))).toEqual([code, field]);
  });

  it('show their secret once, and keep it sealed', async ({ world }) => {
    const { delivery, authority } = world;
    const events = ['post.published', 'dm.sent', 'post.published'];
    const made = await delivery.endpoints.create(authority, { url, events });
    expect(made).toEqual({
      id: expect.stringMatching(/^whk_/),
      url,
      events: ['post.published', 'dm.sent'],
      secret: expect.stringMatching(/^[0-9a-f]{64}$/),
      message: expect.any(String),
      is_active: true,
      created_at: '2026-11-21T09:30:00.000Z',
      updated_at: '2026-11-21T09:30:00.000Z',
    });
    const got = await delivery.endpoints.get(authority, made.id);
    const { secret, message: _, ...rest } = made;
    const stats = { last_24h: NONE, last_7d: NONE };
    expect(got).toEqual({ ...rest, secret_hint: `whsec_...${secret.slice(-4)}`, stats });
    const row = await world.store.db.selectFrom('endpoints').selectAll().executeTakeFirstOrThrow();
    expect(JSON.stringify(row)).not.toContain(secret);
    expect(world.sealer.open(row.secret, `endpoints.secret.${made.id}`)).toBe(secret);
    expect(world.network.sent).toEqual([]);
  });

  it('are listed newest first, whole or page by page', async ({ world }) => {
    const { delivery, authority } = world;
    expect(await delivery.endpoints.list(authority)).toMatchObject({ count: 0, data: [], next_cursor: '' });
    const ids: string[] = [];
    for (const host of ['a', 'b', 'c']) {
      ids.unshift(await world.endpoint(host));
      world.clock.move(1);
    }
    const all = await delivery.endpoints.list(authority);
    const pagination = { has_more: false, next_cursor: '', limit: 3 };
    expect(all).toMatchObject({ count: 3, pagination, next_cursor: '' });
    expect(all.data.map(({ id }) => id)).toEqual(ids);
    const first = await delivery.endpoints.list(authority, { limit: 2 });
    const second = await delivery.endpoints.list(authority, { limit: 2, cursor: first.next_cursor });
    expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(ids);
    expect(second).toMatchObject({ count: 3, next_cursor: '' });
  });

  it('change what a request names, and nothing else', async ({ world }) => {
    const id = await world.endpoint('host', ['dm.sent', 'post.deleted']);
    world.clock.move(SECOND);
    const events = ['post.failed', 'post.deleted'];
    const times = { created_at: '2026-11-21T09:30:00.000Z', updated_at: '2026-11-21T09:30:01.000Z' };
    expect(await world.update(id, { events })).toEqual({ id, url, events, is_active: true, ...times });
    await world.emit(1, 'dm.sent');
    expect(await world.rows(id)).toEqual([]);
  });

  it('are not there for another workspace', async ({ world }) => {
    const { delivery } = world;
    const id = await world.endpoint('host');
    await world.emit();
    const [row] = await world.rows(id);
    const stranger = authorityOver('ws_other');
    const calls = [
      delivery.endpoints.get(stranger, id),
      delivery.endpoints.update(stranger, id, { is_active: false }),
      delivery.endpoints.remove(stranger, id),
      delivery.deliveries.list(stranger, id, { limit: 50 }),
      delivery.deliveries.get(stranger, id, row!.id),
      delivery.deliveries.retry(stranger, id, row!.id),
      delivery.test(stranger, id, { event_type: 'x', payload: 1 }),
      delivery.replay(stranger, id, { since: START }),
    ];
    const codes = (await Promise.all(calls.map(refusal))).map(([code]) => code);
    expect(codes).toEqual(calls.map(() => NOT_FOUND));
    expect((await delivery.endpoints.list(stranger)).count).toBe(0);
    expect(await world.rows(id)).toEqual([row]);
  });

  it('count what arrived and what failed in exactly the last day and week', async ({ world }) => {
    const { delivery, authority, clock } = world;
    const id = await world.endpoint('host');
    await world.deliver(2);
    await world.update(id, { is_active: false });
    await world.update(id, { is_active: true });
    await world.emit(1);
    await world.update(id, { is_active: false });
    const stats = async () => (await delivery.endpoints.get(authority, id)).stats;
    const made = { delivered: 2, failed: 1 };
    expect(await stats()).toEqual({ last_24h: made, last_7d: made });
    clock.move(DAY);
    expect(await stats()).toEqual({ last_24h: made, last_7d: made });
    clock.move(1);
    expect(await stats()).toEqual({ last_24h: NONE, last_7d: made });
    clock.move(6 * DAY - 1);
    expect(await stats()).toEqual({ last_24h: NONE, last_7d: made });
    clock.move(1);
    expect(await stats()).toEqual({ last_24h: NONE, last_7d: NONE });
  });
});
