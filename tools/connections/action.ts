import { z } from 'zod';
import { ACTS, type Act } from '#kernel/acts.ts';
import { Failure, id, named, time } from '../fields.ts';

export const actionId = id('action');

export const STATES = ['held', 'approved', 'running', 'done', 'failed', 'denied', 'withdrawn', 'expired'] as const;

export const Action = named('Action', {
  id: z.string(),
  connection_id: z.string(),
  client: z.string().nullable().describe('Name of the app or key when it asked.'),
  tool: z.string(),
  act: z.enum(Object.keys(ACTS) as [Act, ...Act[]]),
  state: z.enum(STATES),
  reasons: z.array(z.string()),
  account_ids: z.array(z.string()),
  input: z.record(z.string(), z.unknown()),
  edits: z.record(z.string(), z.string()).nullable(),
  etag: z.string(),
  review_url: z.string(),
  note: z.string().nullable(),
  decided_by: z.string().nullable().describe('Who decided; null if nobody has, or if they have left.'),
  outcome: z.record(z.string(), z.unknown()).nullable(),
  error: Failure.nullable(),
  created_at: time,
  expires_at: time,
  finished_at: time.nullable(),
});

export const etag = z.string().min(1).max(64).describe('The etag of the action you read.');
export const note = z.string().trim().max(1000).optional().describe('A note for the requester.');
