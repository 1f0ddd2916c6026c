import { describe, expect } from 'vitest';
import { it as test, makeWorld, type World } from '../../harness/world.ts';
import { dashboardToken, describeDashboardCallers } from '../../harness/calls/dashboard.ts';
import { call, expectRefusal, wholeList } from '../../harness/calls/operations.ts';
import { onPostgres } from '../../harness/stores/postgres.ts';
import { describeStores } from '../../harness/stores/stores.ts';

const it = test.extend('mine', async ({ world }) => {
  const key = await dashboardToken(world);
  const ask = (name: string, input: Record<string, unknown> = {}) => call(world, name, input, { key });
  return { world, ask, make: async (input: Record<string, unknown>) => (await ask('create_saved_reply', input)).body };
});
const HOURS = { name: 'Opening hours', text: 'Hello {first_name},\nwe are open from 8 to 6.' };
const MOST = 500;

const stranger = async (world: World) =>
  dashboardToken(world, (await world.product.modules.users.create('other@example.org', 'Other'))!.userId);

describeDashboardCallers('list_saved_replies');
describeDashboardCallers('create_saved_reply', HOURS);
describeDashboardCallers('update_saved_reply', { saved_reply_id: 'srp_none' });
describeDashboardCallers('delete_saved_reply', { saved_reply_id: 'srp_none' });

describe('saved replies', () => {
  it('are written, listed newest first, changed and deleted', async ({ mine: { world, ask } }) => {
    const made = await ask('create_saved_reply', HOURS);
    const at = '2026-01-15T09:00:00.000Z';
    const hours = { id: made.body.id, ...HOURS, brand_id: null, created_at: at, updated_at: at };
    expect([made.status, made.body]).toEqual([201, hours]);
    world.clock.move(1000);
    const later = '2026-01-15T09:00:01.000Z';
    const parking = (await ask('create_saved_reply', { name: 'Parking', text: 'Behind us.' })).body;
    const changed = await ask('update_saved_reply', { saved_reply_id: hours.id, text: 'From 8 to 5.' });
    expect(changed.body).toEqual({ ...hours, text: 'From 8 to 5.', updated_at: later });
    expect((await ask('list_saved_replies')).body).toEqual(wholeList(2, [parking, changed.body]));
    expect((await ask('list_saved_replies', { limit: 1 })).body.data).toEqual([parking]);
    const gone = await ask('delete_saved_reply', { saved_reply_id: parking.id });
    expect([gone.status, gone.body]).toEqual([200, { success: true, ok: true, id: parking.id }]);
    expect((await ask('list_saved_replies')).body.data).toEqual([changed.body]);
    for (const name of ['update_saved_reply', 'delete_saved_reply'])
      await expectRefusal(ask(name, { saved_reply_id: parking.id }), 'resource.not_found', { resource: 'saved_reply' });
    const { body: log } = await call(world, 'list_events', { category: 'api' });
    expect(log.events.slice(0, 4).map(({ action }: { action: string }) => action)).toEqual([
      'saved_reply_deleted',
      'saved_reply_changed',
      'saved_reply_created',
      'saved_reply_created',
    ]);
  });

  it('are for one brand or for all, and go with their brand', async ({ mine: { world, ask, make } }) => {
    const all = await make(HOURS);
    const own = await make({ ...HOURS, brand_id: world.brandId });
    const other = (await ask('create_brand', { name: 'Other' })).body.id;
    const theirs = await make({ ...HOURS, brand_id: other });
    const ids = async (input: Record<string, unknown> = {}) =>
      (await ask('list_saved_replies', input)).body.data.map(({ id }: { id: string }) => id);
    expect(await ids({ brand_id: other })).toEqual([theirs.id, all.id]);
    const moved = await ask('update_saved_reply', { saved_reply_id: own.id, brand_id: null });
    expect(moved.body.brand_id).toBeNull();
    expect((await world.rest(`DELETE /v1/brands/${other}`)).status).toBe(200);
    expect(await ids()).toEqual([own.id, all.id]);
  });

  it('are refused without words, too long, and for brands of others', async ({ mine: { world, ask, make } }) => {
    const { id: saved_reply_id } = await make(HOURS);
    for (const [input, code, meta] of [
      [{ name: ' ' }, 'validation.field_required', { field: 'name' }],
      [{ text: '' }, 'validation.field_required', { field: 'text' }],
      [{ name: 'x'.repeat(81) }, 'validation.field_invalid', { field: 'name' }],
      [{ text: 'x'.repeat(5001) }, 'validation.field_invalid', { field: 'text' }],
      [{ brand_id: 'brd_none' }, 'brand.not_found', { id: 'brd_none' }],
    ] as const) {
      await expectRefusal(ask('create_saved_reply', { ...HOURS, ...input }), code, meta);
      const changed = ask('update_saved_reply', { saved_reply_id, ...input });
      await expectRefusal(changed, code.replace('required', 'invalid'), meta);
    }
    expect((await ask('list_saved_replies')).body.data).toMatchObject([HOURS]);
    const key = await stranger(world);
    const input = { ...HOURS, brand_id: world.brandId };
    await expectRefusal(call(world, 'create_saved_reply', input, { key }), 'brand.not_found');
  });

  it('are unknown to other workspaces', async ({ mine: { world, make } }) => {
    const { id: saved_reply_id } = await make(HOURS);
    const key = await stranger(world);
    expect((await call(world, 'list_saved_replies', {}, { key })).body.data).toEqual([]);
    for (const name of ['update_saved_reply', 'delete_saved_reply'])
      await expectRefusal(call(world, name, { saved_reply_id }, { key }), 'resource.not_found');
  });

  it('are at most 500', async ({ mine: { world, ask, make } }) => {
    const { id } = await make(HOURS);
    const { workspace_id, ...row } = await world.product.store.db
      .selectFrom('saved_replies')
      .selectAll()
      .executeTakeFirstOrThrow();
    const more = Array.from({ length: MOST - 1 }, (_, n) => ({ ...row, workspace_id, id: `srp_${n}` }));
    await world.product.store.write(({ db }) => db.insertInto('saved_replies').values(more).execute());
    await expectRefusal(ask('create_saved_reply', HOURS), 'resource.conflict', { max: MOST });
    await ask('delete_saved_reply', { saved_reply_id: id });
    expect((await ask('create_saved_reply', HOURS)).status).toBe(201);
  });
});

describeStores('saved replies that are made at once', { kinds: ['postgres'] }, (stores) => {
  test('are at most 500 too', async () => {
    const place = await stores.place();
    const { url, schema } = place as { url: string; schema: string };
    const world = await makeWorld({ store: place });
    const key = await dashboardToken(world);
    const make = () => call(world, 'create_saved_reply', HOURS, { key });
    await make();
    const { db } = world.product.store;
    const { id: _, ...row } = await db.selectFrom('saved_replies').selectAll().executeTakeFirstOrThrow();
    const more = Array.from({ length: MOST - 2 }, (__, n) => ({ ...row, id: `srp_${n}` }));
    await world.product.store.write((tx) => tx.db.insertInto('saved_replies').values(more).execute());
    // They stand where they add theirs until several have come.
    const made = await onPostgres(url, async (client) => {
      await client.query(`begin; lock table "${schema}".saved_replies in exclusive mode`);
      const making = Promise.all([make(), make(), make()]);
      const waiting = 'select count(*)::int as n from pg_locks where not granted';
      while ((await client.query<{ n: number }>(waiting)).rows[0]!.n < 3);
      await client.query('rollback');
      return making;
    });
    expect(made.filter(({ status }) => status === 201)).toHaveLength(1);
  });
});
