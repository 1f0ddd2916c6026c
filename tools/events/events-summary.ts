import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { instant } from '../fields.ts';
import type { Module } from '../modules.ts';

const Counts = z.record(z.string(), z.int());

export const eventsSummary = defineTool({
  name: 'events_summary',
  summary: 'Count what happened in a period, by default the last 24 hours, and in the period before.',
  http: { method: 'GET', path: '/events/summary' },
  effect: 'read',
  access: { scope: 'analytics:read' },
  input: z.object({
    from: instant.optional().describe('Start of the period; default: 24 hours before its end.'),
    to: instant.optional().describe('End of the period; default: now.'),
  }),
  output: z.looseObject({
    total: z.int(),
    total_previous: z.int().describe('Of the period before; what is older than `retention_days` does not count.'),
    failed: z.int(),
    by_category: Counts,
    by_error_category: Counts,
    inbox_breakdown: Counts,
    retention_days: z.int(),
  }),
  errors: [],
  async run(span, { authority, workspace }, { events }: Module<'events'>) {
    return events.summary(authority, workspace, span);
  },
});
