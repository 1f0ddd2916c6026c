import { z } from 'zod';
import { named, untrusted, time } from '../fields.ts';

const CATEGORIES = ['post', 'webhook', 'inbox', 'api', 'account'] as const;

export const Event = named('Event', {
  id: z.string(),
  category: z.enum(CATEGORIES),
  action: z.string(),
  status: z.enum(['success', 'failed', 'pending', 'skipped']),
  platform: z.string().nullable(),
  account_id: z.string().nullable(),
  resource_id: z.string().nullable(),
  summary: z.string().meta(untrusted),
  created_at: time,
  duration_ms: z.int().nullable(),
  status_code: z.int().nullable(),
  error_category: z.string().nullable(),
  error_message: z.string().nullable().meta(untrusted),
  metadata: z.record(z.string(), z.unknown()).meta(untrusted),
});

export const category = z
  .array(z.enum(CATEGORIES))
  .min(1)
  .max(20)
  .transform((list) => [...new Set(list)].toSorted())
  .optional()
  .describe('Only these categories.');

export const accountId = z.string().max(128).optional().describe('Only this account.');
