import { z } from 'zod';
import { oneLine } from '#kernel/text/hidden.ts';
import { minor, named, time } from '../fields.ts';

export const Brand = named('Brand', {
  id: z.string(),
  name: z.string(),
  accounts_count: z.int(),
  created_at: time.meta(minor),
  updated_at: time.meta(minor),
});

export const brandName = z.string().overwrite(oneLine).min(1).max(120).describe('Name shown in lists.');
