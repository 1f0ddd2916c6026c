import { z } from 'zod';
import { minor, named, time } from '../fields.ts';

export const Invite = named('Invite', {
  id: z.string(),
  brand_id: z.string(),
  platform: z.string(),
  token: z.string().meta(minor),
  url: z.string(),
  is_active: z.boolean(),
  account_id: z.string().nullable(),
  created_at: time.meta(minor),
  expires_at: time,
});
