import { expect } from 'vitest';
import { png } from '../media-samples.ts';
import { facebookOf } from '../platforms/facebook.ts';
import type { Json, World } from '../world.ts';
import { store } from './rest.ts';

/** Values by the names of the fields that take them. */
export type Things = Readonly<Record<string, unknown>>;

/** A workspace with one of everything, on the simulators of two platforms. */
export async function furnish(world: World): Promise<Things> {
  const facebook = facebookOf(world);
  const rest = async (route: `${string} /${string}`, body?: unknown) => (await world.rest(route, body)).body;
  const { id: account_id, brand_id } = await facebook.connect();
  const other = await world.connect();
  const page = (await rest(`GET /v1/accounts/${account_id}/pages`)).data[0];
  const account_ids = [account_id, other.id];
  const { id: post_id, targets } = await rest('POST /v1/posts', { text: 'Out', account_ids, publish_now: true });
  expect(targets.map(({ status }: Json) => status)).toEqual(['published', 'published']);
  const on = targets.find((target: Json) => target.account_id === account_id).platform_post_id;
  await facebook.act('comment', { person: 'fred.sandbox.test', on, message: 'Is it rye?' });
  await facebook.act('message', { person: 'mia.sandbox.test', page: page.platform_page_id, text: 'Open?' });
  await world.settle();
  const { id: media_id } = await store(world, 'a.png', 'image/png', png());
  const { id: webhook_id } = await world.receive(['post.published', 'dm.sent']);
  const tested = await rest(`POST /v1/webhooks/${webhook_id}/test`, { event_type: 'test', payload: { a: 1 } });
  await world.newKey();
  const keys = (await rest('GET /v1/keys')).data;
  const key_id = keys.find(({ name }: Json) => name === 'limited').id;
  const comment_id = (await rest(`GET /v1/inbox/comments/${post_id}?account_id=${account_id}`)).data[0].id;
  const conversation_id = (await rest('GET /v1/inbox/conversations')).data[0].id;
  expect([comment_id, conversation_id]).toEqual([expect.any(String), expect.any(String)]);
  return {
    account_id,
    account_ids,
    brand_id,
    comment_id,
    conversation_id,
    delivery_id: tested.delivery_id,
    key_id,
    media_id,
    page_id: page.id,
    post_id,
    webhook_id,
    background: '#ffffff',
    code: '123456',
    components: [],
    csv: 'text\nImported',
    email: 'a@example.org',
    events: ['dm.sent'],
    language: 'en_US',
    payload: { a: 1 },
    pin: '123456',
    platform: 'facebook',
    scheduled_at: new Date(world.clock.now() + 3_600_000).toISOString(),
    since: new Date(world.clock.now() - 3_600_000).toISOString(),
    source: media_id,
    source_type: 'media_id',
    to: '4915112345678',
    url: 'https://example.org/',
  };
}
