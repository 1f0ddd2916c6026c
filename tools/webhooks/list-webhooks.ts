import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { pageShape, wholeList } from '../fields.ts';
import type { Module } from '../modules.ts';
import { Webhook } from './webhook.ts';

export const listWebhooks = defineTool({
  name: 'list_webhooks',
  summary: 'List the webhook endpoints, newest first.',
  http: { method: 'GET', path: '/webhooks' },
  effect: 'read',
  access: { scope: 'webhooks:manage' },
  input: z.object({ ...wholeList }),
  output: z.looseObject({ count: z.int(), data: z.array(Webhook), ...pageShape }),
  errors: [],
  async run({ limit, cursor }, { authority }, { delivery }: Module<'delivery'>) {
    return delivery.endpoints.list(authority, { limit, cursor });
  },
});
