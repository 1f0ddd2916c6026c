import { z } from 'zod';
import { named } from '../fields.ts';
import { defineTool } from '#call/tool.ts';
import type { Module } from '../modules.ts';
import { Webhook, webhookId } from './webhook.ts';

const Counts = named('DeliveryCounts', { delivered: z.int(), failed: z.int() });

export const getWebhook = defineTool({
  name: 'get_webhook',
  summary: 'Show a webhook endpoint with its delivery counts of the last day and week.',
  http: { method: 'GET', path: '/webhooks/{webhook_id}' },
  effect: 'read',
  access: { scope: 'webhooks:manage' },
  input: z.object({ webhook_id: webhookId }),
  output: Webhook.extend({
    secret_hint: z.string(),
    stats: z.looseObject({ last_24h: Counts, last_7d: Counts }),
  }),
  errors: ['resource.not_found'],
  async run({ webhook_id }, { authority }, { delivery }: Module<'delivery'>) {
    return delivery.endpoints.get(authority, webhook_id);
  },
});
