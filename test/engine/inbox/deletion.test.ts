import { HOUR } from '#kernel/clock.ts';
import { expect, test } from 'vitest';
import { describeStores } from '../../harness/stores/stores.ts';
import type { AccountRow } from '#db/access/accounts.ts';
import { inboxWith, makeInboxWorld, type InboxWorld } from '../../harness/worlds/inbound.ts';
import { commented, DAWN, mentioned, requestOf, said, signatureOf, SECRET } from '../../harness/platforms/inbound.ts';

const path = 'deletion';

/** What the person of an account demands; answers the id of the push, and the code to look with. */
async function demand(world: InboxWorld, account: AccountRow): Promise<Readonly<{ id: string; code: string }>> {
  const told = [{ user: account.platform_user_id, event: { kind: 'deletion' } as const }];
  const answer = await world.inbound.pushes.accept('facebook', requestOf(told, { path }));
  const [{ id }] = await world.rows('pushes');
  return { id, code: (answer as { confirmation_code: string }).confirmation_code };
}

const state = (world: InboxWorld, code: string) => world.inbound.pushes.deletion('facebook', code);

const accounts = async ({ store }: InboxWorld) =>
  (await store.db.selectFrom('accounts').select('id').execute()).map(({ id }) => id);

/** All that is stored of a workspace, as one text. */
async function remains({ store }: InboxWorld): Promise<string> {
  const tables = ['events', 'log', 'comments', 'messages', 'conversations', 'mentions', 'inbox_posts', 'jobs'] as const;
  const rows = await Promise.all(tables.map((table) => store.db.selectFrom(table).selectAll().execute()));
  return JSON.stringify(rows);
}

describeStores('a data-deletion request', (stores) => {
  const it = test.extend('world', () => makeInboxWorld(stores));

  it('leaves nothing of what was written, in the inbox, the events and the log', async ({ world }) => {
    const [account, other] = [await world.account(), await world.account()];
    await world.record(other, [commented('c1', { text: 'stays' })]);
    const author = { id: 'eva', name: 'Eva Secret' };
    await world.record(account, [commented('c1', { text: 'secret', author }), mentioned('secret', { author })]);
    world.clock.move(1);
    await world.record(account, [said('m', { text: 'secret', created_at: DAWN })]);
    await world.copies('messages', 599, (_, n) => ({ account_id: account.id, platform_id: `copy${n}` }));
    await world.copies('events', 599, ({ id }, n) => ({ id: `${id}${n}` }));
    await world.copies('log', 599, ({ id, metadata }, n) => ({
      id: `${id}${n}`,
      metadata: { ...metadata, event_id: `${metadata.event_id}${n}` },
    }));
    expect(await remains(world)).toContain('Eva Secret');
    const { code } = await demand(world, account);
    await world.settle();
    expect(await state(world, code)).toBe('done');
    const left = await remains(world);
    expect(left.toLowerCase()).not.toContain('secret');
    expect(left).not.toContain(account.username);
    expect(left).toContain('stays');
    const events = (await world.events()).map(({ event, data }) => `${event} ${data.account_id}`);
    expect(events).toEqual([`comment.received ${other.id}`, `account.disconnected ${account.id}`]);
    const log = await world.store.db.selectFrom('log').select(['kind', 'summary', 'resource_id']).execute();
    expect(log.filter(({ summary }) => summary !== 'erased').length).toBe(2);
    expect(log.filter(({ kind, resource_id }) => kind === 'dm' && resource_id === null).length).toBe(600);
  });

  it('is not done while something is left, whenever the process ends', async () => {
    for (const at of [2, 3, 4, 5, 6]) {
      const { world, account } = await inboxWith(stores);
      await world.record(account, [commented('c1'), said('m1')]);
      const { id, code } = await demand(world, account);
      const trouble = await world.failing((n) => n >= at);
      await expect(trouble.inbound.pushes.take(id)).rejects.toThrow('the store failed');
      expect([at, await state(world, code)]).toEqual([at, 'in_progress']);
      expect((await accounts(world)).length).toBe(at === 2 ? 1 : 0);
      await world.settle();
      expect([at, await state(world, code), await accounts(world)]).toEqual([at, 'done', []]);
      expect([await world.rows('messages'), await world.rows('comments')]).toEqual([[], []]);
      expect((await world.events()).map(({ event }) => event)).toEqual(['account.disconnected']);
    }
  });

  it('is never given up', async ({ world }) => {
    const account = await world.account();
    const { id, code } = await demand(world, account);
    const trouble = await world.failing((n) => n % 2 === 0);
    for (let time = 0; time < 15; time += 1) {
      await expect(trouble.inbound.pushes.take(id)).rejects.toThrow('the store failed');
      world.clock.move(12 * HOUR);
    }
    expect([await state(world, code), await accounts(world)]).toEqual(['in_progress', [account.id]]);
    await world.settle();
    expect([await state(world, code), await accounts(world)]).toEqual(['done', []]);
  });

  it('that cannot be understood is not said to be done', async ({ world }) => {
    const body = Buffer.from('no list of things');
    const headers = { 'x-told-signature': signatureOf(body, SECRET) };
    const answer = await world.inbound.pushes.accept('facebook', { path, headers, body });
    for (let time = 0; time < 15; time += 1) await world.pass(12 * HOUR);
    expect(await state(world, (answer as { confirmation_code: string }).confirmation_code)).toBe('in_progress');
  });

  it('concerns nobody who was connected again since', async ({ world }) => {
    const account = await world.account();
    await demand(world, account);
    world.clock.move(1);
    const connected_at = world.clock.now();
    await world.store.write(({ db }) => db.updateTable('accounts').set({ connected_at }).execute());
    await world.settle();
    expect([await accounts(world), await world.events()]).toEqual([[account.id], []]);
  });
});
