import { z } from 'zod';
import { asJsonText, minor, namedInput } from '../fields.ts';

const title = z.string().trim().min(1);
const payload = z.string().max(1000).optional();

const button = namedInput('ButtonInput', {
  type: z.enum(['url', 'postback']),
  title: title.max(20),
  payload,
  url: z.string().max(2048).optional(),
});

const attachment = namedInput('AttachmentInput', {
  type: z.enum(['image', 'video', 'audio', 'file']).optional().meta(minor),
  source: z.string().min(1).max(4096),
  source_type: z.enum(['media_id', 'url', 'platform_attachment_id']).default('url'),
  caption: z.string().max(4096).optional(),
  voice: z.boolean().optional(),
});

const card = namedInput('CardInput', {
  title: title.max(80),
  subtitle: z.string().max(80).optional(),
  image_url: z.httpUrl().max(2048).optional(),
  buttons: z.array(button).max(3).optional(),
});

const row = z.object({
  id: z.string().min(1).max(200),
  title: title.max(24),
  description: z.string().max(72).optional(),
});
const section = namedInput('ListSectionInput', { title: z.string().max(24).optional(), rows: z.array(row).max(10) });

export const messageFields = {
  text: z.string().max(20_000).optional().describe('Text.'),
  attachments: z.array(attachment).max(10).optional().describe('One message each.'),
  attachment_url: z
    .string()
    .min(1)
    .max(4096)
    .optional()
    .describe('One attachment.')
    .meta({ ...minor, deprecated: true }),
  buttons: z.array(button).min(1).max(3).optional().describe('Buttons below the text.'),
  cards: z.array(card).max(10).optional().describe('JSON: [{title, subtitle, image_url, buttons}].').meta(asJsonText),
  quick_replies: z
    .array(z.object({ title: title.max(20), payload }))
    .max(13)
    .optional()
    .describe('Quick replies.'),
  list_button: z.string().max(20).optional().describe('Opens the list.'),
  list_sections: z
    .array(section)
    .max(10)
    .optional()
    .describe('JSON: [{title, rows: [{id, title, description}]}].')
    .meta(asJsonText),
  message_tag: z.string().max(64).optional().describe('HUMAN_AGENT: within 7 days, where the platform allows it.'),
  reply_to_message_id: z.string().min(1).max(1024).optional().describe('Message to answer.'),
};
