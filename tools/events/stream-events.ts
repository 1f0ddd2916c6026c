import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import type { Module } from '../modules.ts';
import { accountId, category, Event } from './event.ts';

export const streamEvents = defineTool({
  name: 'stream_events',
  summary: 'Follow the events log live, from now or after the last entry you received.',
  http: { method: 'GET', path: '/events/stream' },
  effect: 'read',
  access: { scope: 'analytics:read' },
  mcp: false,
  stream: { resume: 'after' },
  input: z.object({
    after: z
      .string()
      .max(1024)
      .optional()
      .describe('Id of the last entry you received; the header Last-Event-ID takes precedence.'),
    category,
    account_id: accountId,
  }),
  output: Event,
  errors: ['account.not_found', 'http.429'],
  async run({ after, category: categories, account_id }, call, { events }: Module<'events'>) {
    return events.stream(call, { after, categories, accountId: account_id });
  },
});
