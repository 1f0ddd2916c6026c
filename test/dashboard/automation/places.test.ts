import { expect } from 'vitest';
import { BY_ACTION, placeOf } from '#dashboard/activity/places.ts';
import { setUp } from '../../harness/calls/browser.ts';
import { it } from '../../harness/world.ts';
import { anEvent } from '../answers.ts';

it('leads from every kind of entry to a page that there is', async ({ world, account }) => {
  const browser = await setUp(world);
  const post = await world.rest('POST /v1/posts', { text: 'Bread', account_ids: [account['id']] });
  const hook = await world.rest('POST /v1/webhooks', { url: 'https://a.example/', events: ['dm.sent'] });
  const entry = (more: object) =>
    placeOf(
      anEvent({ action: 'done', account_id: account['id'] as string, resource_id: 'x', metadata: {}, ...more }),
      () => true,
    );
  const inbox = (event: string) => entry({ category: 'inbox', metadata: { event } });
  const places = [
    ...BY_ACTION.map(([begin]) => entry({ category: 'api', action: `${begin}done` })),
    entry({ category: 'api', metadata: { event: 'action.held' } }),
    entry({ category: 'post', resource_id: post.body['id'] }),
    entry({ category: 'webhook', resource_id: hook.body['id'], metadata: { delivery_id: 'dlv_x' } }),
    entry({ category: 'account' }),
    ...['comment.received', 'dm.status.read', 'dm.received'].map(inbox),
  ];
  const answers: [string | undefined, number][] = [];
  for (const place of places) answers.push([place, (await browser.open(place!.replace(/#.*/, ''))).status]);
  expect(answers).toEqual(places.map((place) => [place, 200]));
});

it('leads nobody to a page that is not for their role', () => {
  const denied = new Set(['approve_action', 'list_keys', 'list_people', 'list_webhooks']);
  const place = (more: object) =>
    placeOf(
      anEvent({ action: 'done', account_id: 'acc_1', resource_id: 'x', metadata: {}, ...more }),
      (name) => !denied.has(name),
    );
  const entries = [
    { category: 'api', action: 'key_created' },
    { category: 'api', action: 'person_joined' },
    { category: 'api', metadata: { event: 'action.held' } },
    { category: 'webhook' },
    { category: 'post' },
  ];
  expect(entries.map(place)).toEqual([undefined, undefined, undefined, undefined, '/dashboard/posts/x']);
});
