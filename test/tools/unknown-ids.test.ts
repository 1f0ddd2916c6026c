import { it } from '../harness/world.ts';
import { call, expectRefusal } from '../harness/calls/operations.ts';

it.for([
  ['list_events', 'account.not_found', 'account', { account_id: 'acc_none' }],
  ['get_export', 'resource.not_found', 'export', { export_id: 'exp_none' }],
  ['update_brand', 'brand.not_found', 'brand', { brand_id: 'brd_none', name: 'x' }],
  ['revoke_key', 'resource.not_found', 'key', { key_id: 'key_none' }],
  ['rotate_key', 'resource.not_found', 'key', { key_id: 'key_none' }],
  ['update_key', 'resource.not_found', 'key', { key_id: 'key_none', name: 'x' }],
  ['verify_media_upload', 'media.not_found', 'media', { media_id: 'med_none' }],
  ['get_webhook', 'resource.not_found', 'webhook', { webhook_id: 'whk_none' }],
  ['list_webhook_deliveries', 'resource.not_found', 'webhook', { webhook_id: 'whk_none' }],
  ['replay_webhook', 'resource.not_found', 'webhook', { webhook_id: 'whk_none', since: '2026-01-15T09:00:00Z' }],
  ['test_webhook', 'resource.not_found', 'webhook', { webhook_id: 'whk_none', event_type: 'a', payload: {} }],
  ['update_webhook', 'resource.not_found', 'webhook', { webhook_id: 'whk_none', is_active: true }],
] as const)('%s names what there is none of', async ([name, code, resource, input], { shared: world }) => {
  const [id] = Object.values(input);
  await expectRefusal(call(world, name, input), code, { resource, id });
});
