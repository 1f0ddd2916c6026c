import { z } from 'zod';
import { defineTool, recordedAnswer } from '#call/tool.ts';
import type { Module } from '../modules.ts';
import { events, judgedLater, url, Webhook } from './webhook.ts';

export const createWebhook = defineTool({
  name: 'create_webhook',
  summary: 'Register an https address for events; its signing secret is shown once.',
  http: { method: 'POST', path: '/webhooks', status: 201 },
  effect: 'create',
  act: 'admin',
  access: { scope: 'webhooks:manage' },
  input: z.object({ url: judgedLater(url), events: judgedLater(events) }),
  output: Webhook.extend({ secret: z.string(), message: z.string() }),
  errors: [],
  async run(input, { authority }, { delivery }: Module<'delivery'>) {
    return delivery.endpoints.create(authority, input);
  },
  resume: recordedAnswer,
});
