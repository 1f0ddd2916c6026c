import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { PLATFORM_ERRORS } from '../platform-calls.ts';
import { cursor, id, instant, limit, minor, pageShape } from '../fields.ts';
import type { Module } from '../modules.ts';
import { Mention } from './mention.ts';

const warnings = z.array(z.string()).optional().describe('Pages or lists that the platform refused; absent if none.');

export const getMentions = defineTool({
  name: 'get_mentions',
  summary: 'List posts and comments of others that mention an account, newest first.',
  http: { method: 'GET', path: '/accounts/{account_id}/mentions' },
  effect: 'read',
  openWorld: true,
  access: { scope: 'inbox:read' },
  needs: 'list mentions',
  input: z.object({
    account_id: id('account'),
    since: instant.optional().describe('Written later.'),
    limit: limit(20),
    cursor,
  }),
  output: z.looseObject({ count: z.int().meta(minor), data: z.array(Mention), ...pageShape, warnings }),
  errors: PLATFORM_ERRORS,
  async run({ account_id, since, ...page }, { authority }, { inbox }: Module<'inbox'>) {
    return inbox.mentions.list(authority, account_id, since, page);
  },
});
