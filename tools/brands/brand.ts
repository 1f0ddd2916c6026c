import { z } from 'zod';
import { withoutHidden } from '#kernel/text/hidden.ts';
import { minor, named, time } from '../fields.ts';

export const Brand = named('Brand', {
  id: z.string(),
  name: z.string(),
  accounts_count: z.int(),
  created_at: time.meta(minor),
  updated_at: time.meta(minor),
});

/** One line, as it stands in lists, invitations and other people's sentences. */
export const brandName = z
  .string()
  .overwrite((name) => withoutHidden(name).replaceAll(/\s+/g, ' ').trim())
  .min(1)
  .max(120)
  .describe('Name shown in lists.');
