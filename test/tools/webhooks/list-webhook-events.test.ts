import { expect } from 'vitest';
import { ACTION_EVENTS, EVENTS } from '#kernel/events.ts';
import { it, makeWorld } from '../../harness/world.ts';
import { call, expectPages, expectRefusal } from '../../harness/calls/operations.ts';

it('list_webhook_events is the catalogue, in its order', async ({ world }) => {
  const { count, data } = (await call(world, 'list_webhook_events')).body;
  expect([count, data.length]).toEqual([22, 22]);
  expect(data.map(({ event }: { event: string }) => event)).toEqual(Object.keys(EVENTS));
  const perCategory = Map.groupBy(data as { category: string }[], ({ category }) => category);
  expect([...perCategory].map(([name, events]) => [name, events.length])).toEqual([
    ['inbox', 11],
    ['posts', 8],
    ['accounts', 3],
  ]);
});

it('list_webhook_events lists a category, and events about actions only so', async ({ world }) => {
  const namesOf = async (category: string) => {
    const { count, data } = (await call(world, 'list_webhook_events', { category })).body;
    expect(data).toHaveLength(count);
    return data.map(({ event }: { event: string }) => event);
  };
  expect(await namesOf('accounts')).toEqual(['account.connected', 'account.disconnected', 'page.removed']);
  expect(await namesOf('actions')).toEqual(Object.keys(ACTION_EVENTS));
  const [held] = (await call(world, 'list_webhook_events', { category: 'actions' })).body.data;
  expect(held.schema).toMatchObject({ type: 'object', properties: { action_id: { type: 'string' } } });
  await expectRefusal(call(world, 'list_webhook_events', { category: 'keys' }), 'validation.field_invalid');
});

it('list_webhook_events pages like every list', async () => {
  await expectPages(await makeWorld(), 'list_webhook_events', Object.keys(EVENTS), 'event');
});
