import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { freeForm, minor, untrusted, withMembers } from '../fields.ts';
import type { Module } from '../modules.ts';
import { webhookId } from './webhook.ts';

export const testWebhook = defineTool({
  name: 'test_webhook',
  summary: 'Send one signed test request to a webhook endpoint, with the payload as its body.',
  http: { method: 'POST', path: '/webhooks/{webhook_id}/test' },
  effect: 'send',
  act: 'admin',
  openWorld: true,
  access: { scope: 'webhooks:manage' },
  input: z.object({
    webhook_id: webhookId,
    event_type: z.string().min(1).max(100).describe('Event name for the header; any text.'),
    payload: freeForm(z.unknown())
      .refine((value) => value !== undefined && value !== null, 'is required')
      .describe('JSON value sent as the body.')
      .meta(withMembers({ message: { type: 'string' } })),
  }),
  output: z.looseObject({
    status: z.enum(['delivered', 'failed']),
    response_status_code: z.int(),
    response_duration_ms: z.int(),
    response_body: z.string().nullable().meta(untrusted),
    error_message: z.string().nullable().meta(minor),
    delivery_id: z.string(),
  }),
  errors: ['resource.not_found'],
  async run({ webhook_id, ...send }, { authority }, { delivery }: Module<'delivery'>) {
    return delivery.test(authority, webhook_id, send);
  },
  unguarded: true,
});
