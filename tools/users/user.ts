import { z } from 'zod';
import { minor, named, time } from '../fields.ts';

export const User = named('User', {
  id: z.string(),
  email: z.string(),
  name: z.string(),
  plan: z.string(),
  onboarding: z.boolean().meta(minor),
  avatar_url: z.string().nullable().meta(minor),
  use_case: z.string().nullable().meta(minor),
  referral: z.string().nullable().meta(minor),
  lock_accounts_to_brand: z.boolean().meta(minor),
  timezone: z.string(),
  allowed_platforms: z.array(z.string()).meta(minor),
  beta_tester: z.boolean().meta(minor),
  billing_blocked: z.boolean(),
  billing_blocked_at: time.nullable(),
  created_at: time.meta(minor),
});
