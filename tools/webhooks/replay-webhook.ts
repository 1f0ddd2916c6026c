import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { instant, time } from '../fields.ts';
import type { Replayed } from '#engine/delivery/deliveries.ts';
import type { Module } from '../modules.ts';
import { events, webhookId } from './webhook.ts';

export const replayWebhook = defineTool({
  name: 'replay_webhook',
  summary: 'Send the recorded events of a period to a webhook endpoint again, oldest first, as new deliveries.',
  http: { method: 'POST', path: '/webhooks/{webhook_id}/replay', status: 202 },
  effect: 'send',
  act: 'admin',
  openWorld: true,
  access: { scope: 'webhooks:manage' },
  input: z.object({
    webhook_id: webhookId,
    since: instant.describe('Start, inclusive.'),
    until: instant.optional().describe('End (default now).'),
    events: events.optional(),
  }),
  output: z.looseObject({ replayed: z.int(), since: time, until: time }),
  errors: ['resource.not_found', 'resource.conflict'],
  async run({ webhook_id, ...span }, { authority }, { delivery }: Module<'delivery'>) {
    return delivery.replay(authority, webhook_id, span);
  },
  async resume(begun: Replayed, { webhook_id }, { authority }, { delivery }) {
    return delivery.replay(authority, webhook_id, begun);
  },
});
