import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { Done } from '../fields.ts';
import type { Module } from '../modules.ts';
import { webhookId } from './webhook.ts';

export const deleteWebhook = defineTool({
  name: 'delete_webhook',
  summary: 'Remove a webhook endpoint with its delivery history.',
  http: { method: 'DELETE', path: '/webhooks/{webhook_id}' },
  effect: 'delete',
  act: 'admin',
  access: { scope: 'webhooks:manage' },
  input: z.object({ webhook_id: webhookId }),
  output: Done,
  errors: ['resource.not_found'],
  async run({ webhook_id }, { authority }, { delivery }: Module<'delivery'>) {
    return delivery.endpoints.remove(authority, webhook_id);
  },
});
