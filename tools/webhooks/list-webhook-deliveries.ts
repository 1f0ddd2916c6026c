import { z } from 'zod';
import { briefList } from '#call/detail.ts';
import { defineTool } from '#call/tool.ts';
import { cursor, limit, pageShape } from '../fields.ts';
import type { Module } from '../modules.ts';
import { Delivery, webhookId } from './webhook.ts';

const Page = z.looseObject({ count: z.int(), data: z.array(Delivery), ...pageShape });

const brief = briefList(Page, 'data', {
  fields: ['id', 'event_type', 'status', 'attempt_count', 'created_at', 'response_status_code'],
});

export const listWebhookDeliveries = defineTool({
  name: 'list_webhook_deliveries',
  summary: 'List the deliveries of a webhook endpoint, newest first.',
  http: { method: 'GET', path: '/webhooks/{webhook_id}/deliveries' },
  effect: 'read',
  access: { scope: 'webhooks:manage' },
  input: z.object({
    webhook_id: webhookId,
    status: z.enum(['delivered', 'failed', 'pending']).optional().describe('Only deliveries in this state.'),
    event_type: z.string().max(100).optional().describe('Only deliveries of this event.'),
    limit: limit(50),
    cursor,
  }),
  output: Page,
  brief,
  errors: ['resource.not_found'],
  async run({ webhook_id, ...query }, { authority }, { delivery }: Module<'delivery'>) {
    return delivery.deliveries.list(authority, webhook_id, query);
  },
});
