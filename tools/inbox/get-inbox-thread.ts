import { z } from 'zod';
import { UNANSWERED_KINDS } from '#db/inbox/unanswered.ts';
import { defineTool } from '#call/tool.ts';
import { Comment, InboxPost } from '../comments/comment.ts';
import { Conversation } from '../conversations/conversation.ts';
import { id, named, platformSlug, time } from '../fields.ts';
import { Mention } from '../mentions/mention.ts';
import type { Module } from '../modules.ts';
import { Review } from '../reviews/review.ts';

const kind = z.enum([...UNANSWERED_KINDS, 'post']);

const Window = named('MessageWindow', {
  open_until: time.nullable().describe('Null if the person never wrote.'),
  tags: z
    .array(named('MessageTag', { name: z.string(), until: time }))
    .describe('message_tag that a message can have then.'),
  later: z.string().nullable().describe('The operation that reaches the person at any time.'),
});

const Parts = named('MessageParts', {
  attachments: z.array(z.string()).describe('Kinds of stored media.'),
  buttons: z.array(z.string()).describe('Types of buttons.'),
  quick_replies: z.int().describe('How many.'),
  tags: z.array(z.string()),
});

const TextRule = named('TextRule', { max: z.int(), counting: z.string(), max_bytes: z.int().optional() });

export const getInboxThread = defineTool({
  name: 'get_inbox_thread',
  summary: 'Show one item of the inbox with its context, and what an answer may contain.',
  http: { method: 'GET', path: '/inbox/threads/{kind}/{thread_id}' },
  effect: 'read',
  access: { dashboard: 'inbox:read' },
  input: z.object({
    kind: kind.describe('What it is.'),
    thread_id: z.string().min(1).max(1024).describe('Its id, as lists name it.'),
    account_id: id('account'),
  }),
  output: z.looseObject({
    kind,
    id: z.string(),
    account_id: z.string(),
    brand_id: z.string(),
    platform: platformSlug,
    blocked: z.string().nullable().describe('Why the account can do nothing now.'),
    text_rule: TextRule.nullable().describe('How long an answer may be; null where there can be none.'),
    conversation: Conversation.optional(),
    window: Window.nullable()
      .optional()
      .describe('Of a conversation; null where people can be written to at any time.'),
    parts: Parts.nullable().optional().describe('Of a message, besides text.'),
    comment: Comment.optional(),
    comments: z.array(Comment).optional().describe('The comment with those around it, oldest first.'),
    mention: Mention.optional(),
    permalink: z.string().nullable().optional().describe('Of a mention.'),
    review: Review.optional(),
    post: InboxPost.nullable().describe('That a comment is below.'),
  }),
  errors: [
    'account.not_found',
    'conversation.not_found',
    'post.not_found',
    'resource.not_found',
    'resource.not_supported',
  ],
  async run({ kind: of, thread_id, account_id }, { authority }, { inbox }: Module<'inbox'>) {
    return inbox.threads.read(authority, of, { accountId: account_id, id: thread_id });
  },
});
