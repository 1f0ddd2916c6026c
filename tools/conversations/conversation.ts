import { z } from 'zod';
import { aliasOf, minor, named, platformSlug, time, untrusted } from '../fields.ts';

export const STATUSES = ['active', 'archived'] as const;

export const Conversation = named('Conversation', {
  id: z.string(),
  user_id: z.string(),
  account_id: z.string(),
  page_id: z.string().nullable(),
  platform: platformSlug,
  platform_id: z.string(),
  participant_id: z.string(),
  participant_name: z.string().meta(untrusted),
  participant_username: z.string().nullable().meta(untrusted),
  participant_picture: z.string().nullable(),
  status: z.enum(STATUSES),
  unread_count: z.int(),
  last_message: z.string().meta(untrusted),
  last_message_at: time.nullable(),
  last_message_direction: z.enum(['incoming', 'outgoing']).nullable().describe('incoming: the person wrote last.'),
  blocked: z.string().nullable().describe('Why send_dm would be refused now.'),
  created_at: time,
  updated_at: time,
});

export const Message = named('Message', {
  id: z.string(),
  account_id: z.string().meta(minor),
  platform: platformSlug.meta(minor),
  conversation_id: z.string(),
  platform_id: z.string(),
  direction: z.enum(['incoming', 'outgoing']),
  sender_id: z.string(),
  sender_name: z.string().meta(untrusted),
  text: z.string().meta(untrusted),
  attachment_type: aliasOf('attachments', z.string().nullable()),
  attachment_url: aliasOf('attachments', z.string().nullable()),
  attachments: z.array(z.looseObject({ type: z.string(), url: z.string().nullable() })),
  reply_to_message_id: z.string().nullable(),
  status: z.enum(['received', 'sent', 'delivered', 'read', 'failed']),
  status_updated_at: time.nullable(),
  metadata: z.record(z.string(), z.unknown()).meta(untrusted),
  created_at: time,
});

export const conversationId = z.string().min(1).max(128).describe('Id of the conversation.');
