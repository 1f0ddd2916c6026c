import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { ACTION_EVENT_DATA, ACTION_EVENTS, EVENTS } from '#kernel/events.ts';
import { pageShape, wholeList } from '../fields.ts';
import type { Module } from '../modules.ts';

const CATEGORIES = ['inbox', 'posts', 'accounts', 'actions'] as const;
type Listed = Readonly<{ event: string; description: string; category: string; schema?: typeof ACTION_EVENT_DATA }>;

const listOf = (events: Readonly<Record<string, readonly [string, string]>>): readonly Listed[] =>
  Object.entries(events).map(([event, [category, description]]) => ({ event, description, category }));

const CATALOGUE = listOf(EVENTS);
/** Listed only on request: an endpoint that subscribes to all events does not receive them. */
const OF_ACTIONS = listOf(ACTION_EVENTS).map((event) => ({ ...event, schema: ACTION_EVENT_DATA }));

export const listWebhookEvents = defineTool({
  name: 'list_webhook_events',
  summary: 'List the events that webhook endpoints can subscribe to.',
  http: { method: 'GET', path: '/webhooks/events' },
  effect: 'read',
  access: { open: true },
  input: z.object({
    category: z.enum(CATEGORIES).optional().describe('Only these; actions are listed only this way.'),
    ...wholeList,
  }),
  output: z.looseObject({
    count: z.int(),
    data: z.array(
      z.looseObject({
        event: z.string(),
        description: z.string(),
        category: z.string(),
        schema: z.looseObject({}).optional(),
      }),
    ),
    ...pageShape,
  }),
  errors: [],
  async run({ category, ...page }, _call, { lists }: Module<'lists'>) {
    if (category === undefined) return lists.fixed(page, { name: 'webhook_events', all: CATALOGUE });
    const all = [...CATALOGUE, ...OF_ACTIONS].filter((one) => one.category === category);
    return lists.fixed(page, { name: `webhook_events ${category}`, all });
  },
});
