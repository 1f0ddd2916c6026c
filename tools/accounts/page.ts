import { z } from 'zod';
import { aliasOf, minor, named } from '../fields.ts';

/** Clients read the platform's page id under two names. */
export const Page = named('AccountPage', {
  id: z.string(),
  account_id: z.string().meta(minor),
  platform_page_id: z.string(),
  platform_id: aliasOf('platform_page_id', z.string()),
  name: z.string(),
  is_default: z.boolean(),
  is_active: z.boolean(),
  username: z.string().nullable(),
  category: z.string().nullable().meta(minor),
  about: z.string().nullable().meta(minor),
  link: z.string().nullable(),
  profile_picture_url: z.string().nullable().meta(minor),
  cover_photo_url: z.string().nullable().meta(minor),
  followers_count: z.int().nullable(),
  verification_status: z.string().nullable().meta(minor),
  enriched_at: z.string().nullable().meta(minor),
});
