import { z } from 'zod';
import { minor, named, platformSlug } from '../fields.ts';

export const Account = named('Account', {
  id: z.string(),
  brand_id: z.string(),
  platform: platformSlug,
  name: z.string(),
  username: z.string(),
  bio: z.string().nullable(),
  profile_picture_url: z.string().nullable(),
  status: z.enum(['active', 'reconnect_required']),
  reconnect_reason: z.string().nullable(),
  capabilities: z.array(z.string()).describe('What it can do; everything else is refused.'),
  metadata: z.record(z.string(), z.unknown()),
});

/** Where to send the person, or the account that credentials connected. */
export const Connection = named('StartedConnection', {
  auth_url: z.string().optional(),
  state: z.string().optional(),
  message: z.string().optional(),
  account_id: z.string().optional(),
  brand_id: z.string().optional().meta(minor),
  platform: platformSlug.optional().meta(minor),
  username: z.string().optional(),
  display_name: z.string().optional().meta(minor),
  metadata: z.record(z.string(), z.unknown()).optional().meta(minor),
});

/** A login that manages several profiles. */
export const PendingConnection = named('PendingConnection', {
  connection_id: z.string(),
  status: z.literal('selection_required'),
  platform: platformSlug,
  expires_at: z.string().meta(minor),
  profiles: z.array(
    named('ConnectableProfile', {
      platform_account_id: z.string(),
      display_name: z.string(),
      username: z.string(),
      profile_picture_url: z.string(),
      bio: z.string(),
    }),
  ),
});

/** Fields of every way to start a connection. */
export const connectFields = {
  brand_id: z.string().min(1).max(128).optional().describe('Brand of the account; default: a new one.'),
  redirect_uri: z.string().max(2048).optional().describe('URL the browser returns to.'),
  state: z.string().max(512).optional().describe('Echoed in the redirect.'),
};
