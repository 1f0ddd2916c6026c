import { expect, test } from 'vitest';
import { insertEndpoint } from '#db/delivery/endpoints.ts';
import { record } from '#engine/inbox/record/record.ts';
import type { InboundEvent } from '#platforms/inbound.ts';
import { describeStores } from '../../harness/stores/stores.ts';
import { makeInboxWorld, type InboxWorld } from '../../harness/worlds/inbound.ts';
import { commented, DAWN, said } from '../../harness/platforms/inbound.ts';

const at = (ms: number) => ({ created_at: DAWN + ms });
const outgoing = { direction: 'outgoing' } as const;

async function subscribe({ store, workspace, clock }: InboxWorld, events: readonly string[]): Promise<void> {
  const now = clock.now();
  const row = {
    id: 'whk_test',
    workspace_id: workspace,
    url: 'https://receiver.test/',
    secret: 'sealed',
    secret_hint: '',
    is_active: 1,
    slots: 16,
    failing: 0,
    removed_at: null,
    created_at: now,
    updated_at: now,
  } as const;
  await store.write(({ db }) => insertEndpoint(db, row, events));
}

describeStores('what happened in a conversation', (stores) => {
  const it = test.extend('world', () => makeInboxWorld(stores));

  it('is reported in the order it happened, in whatever order it came', async ({ world }) => {
    const account = await world.account();
    await subscribe(world, ['dm.received', 'dm.sent', 'dm.status.read', 'comment.received']);
    const receipt = { kind: 'receipt', status: 'read', conversation: 'fan', watermark: DAWN + 20 } as const;
    await world.record(account, [
      commented('c1', at(40)),
      said('question', at(10)),
      said('echo', { ...outgoing, ...at(20) }),
      { ...receipt, at: DAWN + 15 },
      said('thanks', at(30)),
      said('earlier', at(5)),
    ]);
    const said_ = ['earlier', 'question', 'echo', 'echo', 'thanks', 'c1'];
    const told = (await world.events()).map(({ data }) => data.platform_id ?? data.mids[0]);
    expect(told).toEqual(said_);
    // Deliveries are sent in the order of their times and ids.
    const deliveries = await world.store.db
      .selectFrom('deliveries')
      .innerJoin('events', 'events.id', 'deliveries.event_id')
      .select('events.body')
      .orderBy('deliveries.run_at')
      .orderBy('deliveries.id')
      .execute();
    const sent = deliveries.map(({ body }) => (JSON.parse(body) as { data: Record<string, any> }).data);
    expect(sent.map((data) => data['platform_id'] ?? data['mids'][0])).toEqual(said_);
    const counts = await world.store.db.selectFrom('delivery_counts').select(['event_type', 'n']).execute();
    expect(Object.fromEntries(counts.map(({ event_type, n }) => [event_type, n]))).toEqual({
      'dm.received': 3,
      'dm.sent': 1,
      'dm.status.read': 1,
      'comment.received': 1,
    });
  });

  it('of two accounts never makes one wait for the other, whatever happened first', async ({ world }) => {
    await subscribe(world, ['dm.received', 'dm.sent']);
    const accounts = await Promise.all(Array.from({ length: 8 }, () => world.account()));
    let runs = 0;
    const told = (index: number, time: number): InboundEvent[] => {
      const [first, second] = index % 2 === 0 ? [{}, outgoing] : [outgoing, {}];
      return [said(`a${time}`, { ...first, ...at(time * 10) }), said(`b${time}`, { ...second, ...at(time * 10 + 5) })];
    };
    for (let time = 0; time < 6; time += 1) {
      await Promise.all(
        accounts.map((account, index) =>
          world.store.write((tx) => {
            runs += 1;
            return record(tx, account, told(index, time), { silent: false, now: world.clock.now() });
          }),
        ),
      );
    }
    // One that was picked as the victim of a deadlock would have run again.
    expect(runs).toBe(48);
  });
});
