import { z } from 'zod';
import { Content, minor, named, platformSlug, time, untrusted } from '../fields.ts';

export const Mention = named('Mention', {
  id: z.string(),
  type: z.string(),
  brand_id: z.string(),
  account_id: z.string(),
  page_id: z.string().nullish().meta(minor),
  platform: platformSlug,
  platform_id: z.string(),
  platform_post_id: z.string(),
  permalink: z.string().nullish().meta(minor),
  author: named('MentionAuthor', {
    id: z.string(),
    name: z.string().meta(untrusted),
    username: z.string().nullish().meta(untrusted),
    avatar_url: z.string().nullish(),
  }),
  content: Content,
  created_at: time,
  received_at: time,
  answered: z.boolean().describe('By this account, as far as is known.'),
  metadata: z.record(z.string(), z.unknown()).meta(untrusted),
});
