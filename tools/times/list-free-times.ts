import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { idList, instant, named, time } from '../fields.ts';
import type { Module } from '../modules.ts';

const FreeTime = named('FreeTime', { scheduled_at: time, day: z.string(), time: z.string() });

export const listFreeTimes = defineTool({
  name: 'list_free_times',
  summary: 'List the next posting times at which none of the accounts has a post.',
  http: { method: 'GET', path: '/posting-times/free' },
  effect: 'read',
  access: { scope: 'posts:read' },
  input: z.object({
    account_ids: idList('accounts').min(1),
    count: z.int().min(1).max(50).default(1).describe('How many, at most 50.'),
    after: instant.optional().describe('Only later ones.'),
  }),
  output: z.looseObject({ timezone: z.string(), times: z.array(FreeTime) }),
  errors: ['account.not_found', 'resource.conflict'],
  async run({ account_ids: accountIds, count, after }, call, { times }: Module<'times'>) {
    return times.free(call, { accountIds, count, after });
  },
});
