import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { EVENTS } from '#kernel/events.ts';
import { pageShape, wholeList } from '../fields.ts';
import type { Module } from '../modules.ts';

const CATALOGUE = Object.entries(EVENTS).map(([event, [category, description]]) => ({ event, description, category }));

export const listWebhookEvents = defineTool({
  name: 'list_webhook_events',
  summary: 'List the events that webhook endpoints can subscribe to.',
  http: { method: 'GET', path: '/webhooks/events' },
  effect: 'read',
  access: { open: true },
  input: z.object({ ...wholeList }),
  output: z.looseObject({
    count: z.int(),
    data: z.array(z.looseObject({ event: z.string(), description: z.string(), category: z.string() })),
    ...pageShape,
  }),
  errors: [],
  async run(page, _call, { lists }: Module<'lists'>) {
    return lists.fixed(page, { name: 'webhook_events', all: CATALOGUE });
  },
});
