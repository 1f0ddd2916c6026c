import { z } from 'zod';
import { minor, named, time } from '../fields.ts';

export const Key = named('Key', {
  id: z.string(),
  name: z.string(),
  preview: z.string(),
  is_active: z.boolean(),
  scopes: z.array(z.string()),
  brand_ids: z.array(z.string()),
  last_used_at: time.nullable().meta(minor),
  created_at: time.meta(minor),
});

/** A key with its secret, which is shown only once. */
export const FreshKey = named('NewKey', {
  id: z.string(),
  name: z.string(),
  raw_key: z.string(),
  message: z.string().meta(minor),
  preview: z.string().meta(minor),
  scopes: z.array(z.string()),
  brand_ids: z.array(z.string()),
});

export const keyName = z.string().trim().min(1).max(100).describe('Name of the key.');

export const keyLimits = {
  scopes: z.array(z.string().max(64)).max(50).optional().describe('Scopes the key is limited to; empty means all.'),
  brand_ids: z
    .array(z.string().max(128))
    .max(200)
    .optional()
    .describe('Brands the key is limited to; empty means all.'),
};
