import { z } from 'zod';
import { defineTool, recordedAnswer } from '#call/tool.ts';
import type { Module } from '../modules.ts';
import { deliveryId, DeliveryDetail, webhookId } from './webhook.ts';

export const retryWebhookDelivery = defineTool({
  name: 'retry_webhook_delivery',
  summary: 'Send the event of a delivery again, as a new delivery with attempts of its own.',
  http: { method: 'POST', path: '/webhooks/{webhook_id}/deliveries/{delivery_id}/retry' },
  effect: 'send',
  act: 'admin',
  openWorld: true,
  access: { scope: 'webhooks:manage' },
  input: z.object({ webhook_id: webhookId, delivery_id: deliveryId }),
  output: DeliveryDetail,
  errors: ['resource.not_found', 'resource.conflict'],
  async run({ webhook_id, delivery_id }, { authority }, { delivery }: Module<'delivery'>) {
    return delivery.deliveries.retry(authority, webhook_id, delivery_id);
  },
  resume: recordedAnswer,
});
