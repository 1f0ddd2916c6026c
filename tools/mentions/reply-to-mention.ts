import { z } from 'zod';
import type { SendBegun } from '#call/sends.ts';
import { defineTool } from '#call/tool.ts';
import { callerOf, PAGE_ERRORS, COUNTED_ERRORS } from '../platform-calls.ts';
import { id, words } from '../fields.ts';
import type { Module } from '../modules.ts';

const named = z.string().min(1).max(1024).optional();

export const replyToMention = defineTool({
  name: 'reply_to_mention',
  summary: 'Answer a post or comment that mentions the account.',
  http: { method: 'POST', path: '/accounts/{account_id}/mentions/reply' },
  effect: 'send',
  act: 'comment',
  openWorld: true,
  access: { scope: 'inbox:write' },
  needs: 'reply to a mention',
  meter: 'interaction',
  input: z.object({
    account_id: id('account'),
    text: words(20_000).describe('Text to send.'),
    mention_id: named.describe('Id of the mention; this or media_id.'),
    media_id: named.describe("The platform's id of the post with the mention."),
    comment_id: named.describe('Comment to answer.'),
  }),
  output: z.looseObject({ success: z.boolean(), comment_id: z.string() }),
  errors: ['resource.not_found', ...COUNTED_ERRORS, ...PAGE_ERRORS, 'validation.interaction_limit_exhausted'],
  async answers(request, { authority }, { inbox }) {
    return inbox.owed.mention(authority, request);
  },
  async run(request, call, { inbox }: Module<'inbox'>) {
    return inbox.mentions.reply(callerOf(call), request);
  },
  async resume(begun: SendBegun, request, call, { inbox }) {
    return inbox.mentions.reply(callerOf(call), request, begun);
  },
});
