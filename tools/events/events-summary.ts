import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { instant } from '../fields.ts';
import type { Module } from '../modules.ts';

const Counts = z.record(z.string(), z.int());

export const eventsSummary = defineTool({
  name: 'events_summary',
  summary: 'Count what happened in a span of time, the last 24 hours by default, beside the span before it.',
  http: { method: 'GET', path: '/events/summary' },
  effect: 'read',
  access: { scope: 'analytics:read' },
  input: z.object({
    from: instant.optional().describe('Start of the span; 24 hours ago when left out.'),
    to: instant.optional().describe('End of the span; now when left out.'),
  }),
  output: z.looseObject({
    total: z.int(),
    total_previous: z.int(),
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
