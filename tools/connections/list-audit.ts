import { z } from 'zod';
import { AUDIT_CALLERS, AUDIT_PLACES, AUDIT_VERDICTS } from '#db/schema/leash.ts';
import { defineTool } from '#call/tool.ts';
import { ACTS, type Act } from '#kernel/acts.ts';
import { cursor, instant, limit, pageShape, time } from '../fields.ts';
import type { Module } from '../modules.ts';

const act = z.enum(Object.keys(ACTS) as [Act, ...Act[]]);
const verdict = z.enum(AUDIT_VERDICTS);

const Entry = z.looseObject({
  id: z.string(),
  at: time,
  tool: z.string().describe('The operation, or what was done on a page, such as sign_in.'),
  act: act.nullable(),
  verdict,
  client: z.string().describe('Name of the key, app or person.'),
  caller_kind: z.enum(AUDIT_CALLERS),
  facade: z.enum(AUDIT_PLACES),
  connection_id: z.string().nullable(),
  user_id: z.string().nullable(),
  address: z.string().nullable().describe('Address of the client, for sign-ins.'),
  arguments: z.record(z.string(), z.unknown()).describe('Shortened, without secrets.'),
  status: z.int().nullable().describe('null if the process ended before the call.'),
  code: z.string().nullable(),
  effect_id: z.string().nullable().describe('What was made or changed.'),
  action_id: z.string().nullable(),
  request_id: z.string(),
  duration_ms: z.int().nullable(),
});

export const listAudit = defineTool({
  name: 'list_audit',
  summary:
    'List what apps and limited keys did or tried, what people did and decided, and who signed in, newest first.',
  http: { method: 'GET', path: '/audit' },
  effect: 'read',
  access: { dashboard: true },
  pastDue: 'exempt',
  input: z.object({
    connection_id: z.string().max(128).optional().describe('Only of this connection.'),
    user_id: z.string().max(128).optional().describe('Only of this user.'),
    tool: z.string().max(100).optional().describe('Only this operation, such as create_post or sign_in.'),
    act: act.optional().describe('Only this act.'),
    verdict: verdict.optional().describe('Only with this verdict.'),
    since: instant.optional().describe('Start, inclusive.'),
    until: instant.optional().describe('End, exclusive.'),
    limit: limit(50),
    cursor,
  }),
  output: z.looseObject({ data: z.array(Entry), ...pageShape }),
  errors: [],
  async run({ limit: most, cursor: after, ...filter }, { authority }, { audit }: Module<'audit'>) {
    return audit.list(authority, filter, { limit: most, cursor: after });
  },
});
