import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import type { Module } from '../modules.ts';
import { deliveryId, DeliveryDetail, webhookId } from './webhook.ts';

export const getWebhookDelivery = defineTool({
  name: 'get_webhook_delivery',
  summary: 'Show a delivery with the exact payload and every attempt.',
  http: { method: 'GET', path: '/webhooks/{webhook_id}/deliveries/{delivery_id}' },
  effect: 'read',
  access: { scope: 'webhooks:manage' },
  input: z.object({ webhook_id: webhookId, delivery_id: deliveryId }),
  output: DeliveryDetail,
  errors: ['resource.not_found'],
  async run({ webhook_id, delivery_id }, { authority }, { delivery }: Module<'delivery'>) {
    return delivery.deliveries.get(authority, webhook_id, delivery_id);
  },
});
