import { z } from 'zod';
import { Content, named, platformSlug, untrusted, time } from '../fields.ts';

export const Mention = named('Mention', {
  id: z.string(),
  type: z.string(),
  brand_id: z.string(),
  account_id: z.string(),
  platform: platformSlug,
  platform_id: z.string(),
  platform_post_id: z.string(),
  author: z.looseObject({ id: z.string(), name: z.string().meta(untrusted) }),
  content: Content,
  created_at: time,
  received_at: time,
  answered: z.boolean().describe('By this account, as far as is known.'),
  metadata: z.record(z.string(), z.unknown()).meta(untrusted),
});
