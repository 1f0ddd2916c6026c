import { toolset } from '#call/tool.ts';
import { createWebhook } from './create-webhook.ts';
import { deleteWebhook } from './delete-webhook.ts';
import { getWebhook } from './get-webhook.ts';
import { getWebhookDelivery } from './get-webhook-delivery.ts';
import { listWebhookDeliveries } from './list-webhook-deliveries.ts';
import { listWebhookEvents } from './list-webhook-events.ts';
import { listWebhooks } from './list-webhooks.ts';
import { replayWebhook } from './replay-webhook.ts';
import { retryWebhookDelivery } from './retry-webhook-delivery.ts';
import { testWebhook } from './test-webhook.ts';
import { updateWebhook } from './update-webhook.ts';

export const webhooks = toolset('webhooks', 'Webhooks', 'Signed events for other systems, and their deliveries.', [
  listWebhooks,
  createWebhook,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  testWebhook,
  listWebhookDeliveries,
  getWebhookDelivery,
  retryWebhookDelivery,
  listWebhookEvents,
  replayWebhook,
]);
