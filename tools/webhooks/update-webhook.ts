import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import type { Module } from '../modules.ts';
import { events, url, Webhook, webhookId } from './webhook.ts';

export const updateWebhook = defineTool({
  name: 'update_webhook',
  summary:
    'Change the address or events of a webhook endpoint, or switch it off and on; while it is off nothing is sent or kept for later.',
  http: { method: 'PATCH', path: '/webhooks/{webhook_id}' },
  effect: 'update',
  act: 'admin',
  idempotent: true,
  access: { scope: 'webhooks:manage' },
  input: z.object({
    webhook_id: webhookId,
    url: url.optional(),
    events: events.optional(),
    is_active: z.boolean().optional().describe('false switches the endpoint off.'),
  }),
  output: Webhook,
  errors: ['resource.not_found'],
  async run({ webhook_id, ...patch }, { authority }, { delivery }: Module<'delivery'>) {
    return delivery.endpoints.update(authority, webhook_id, patch);
  },
});
