import { z } from 'zod';
import { minor, named, time, words } from '../fields.ts';

export const SavedReply = named('SavedReply', {
  id: z.string(),
  name: z.string(),
  text: z.string(),
  brand_id: z.string().nullable().describe('Null if it is for all brands.'),
  created_at: time.meta(minor),
  updated_at: time.meta(minor),
});

export const replyName = words(80).describe('Name to find it by.');
export const replyText = words(5000).describe(
  'The text. The dashboard puts the name of the person in place of {name}, and its first word in place of {first_name}.',
);
export const replyBrand = z.string().min(1).max(128).nullable();
