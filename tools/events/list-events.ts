import { z } from 'zod';
import { briefList } from '#call/detail.ts';
import { defineTool } from '#call/tool.ts';
import { aliasOf, cursor, instant, limit, pageShape, platformSlug } from '../fields.ts';
import type { Module } from '../modules.ts';
import { accountId, category, Event } from './event.ts';

const Page = z.looseObject({
  events: z.array(Event),
  data: aliasOf('events', z.array(Event)),
  ...pageShape,
  retention_days: z.int(),
});

const brief = briefList(Page, 'events', {
  fields: ['id', 'category', 'action', 'status', 'platform', 'resource_id', 'summary', 'created_at'],
  text: 'summary',
});

export const listEvents = defineTool({
  name: 'list_events',
  summary: 'List what happened in the workspace, newest first, for as long as the plan keeps it.',
  http: { method: 'GET', path: '/events' },
  effect: 'read',
  access: { scope: 'analytics:read' },
  input: z.object({
    category,
    status: z
      .enum(['success', 'failed', 'pending', 'skipped', 'ok'])
      .transform((status) => (status === 'ok' ? 'success' : status))
      .optional()
      .describe('With this outcome; ok is another word for success.'),
    platform: platformSlug.optional().describe('Only this platform.'),
    account_id: accountId,
    resource_id: z.string().max(128).optional().describe('Only this resource: post, webhook, key or other.'),
    action: z.string().max(100).optional().describe('Only this action, such as published.'),
    from: instant.optional().describe('Start, inclusive.'),
    to: instant.optional().describe('End.'),
    limit: limit(50),
    cursor,
  }),
  output: Page,
  brief,
  errors: ['account.not_found'],
  async run({ limit: most, cursor: after, ...request }, { authority, workspace }, { events }: Module<'events'>) {
    const { category: categories, account_id: account, resource_id: resource, ...rest } = request;
    const filter = { ...rest, categories, accountId: account, resourceId: resource };
    return events.list(authority, workspace, { filter, limit: most, cursor: after });
  },
});
