import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { isTimezone } from '#kernel/text/local-time.ts';
import type { Module } from '../modules.ts';
import { User } from './user.ts';

export const patchMe = defineTool({
  name: 'patch_me',
  summary: "Change the user's own settings.",
  http: { method: 'PATCH', path: '/users/me' },
  effect: 'update',
  act: 'admin',
  idempotent: true,
  access: { admin: true },
  pastDue: 'exempt',
  input: z.object({
    onboarding: z.literal(false).optional().describe('false ends the onboarding; it cannot be restarted.'),
    use_case: z.string().max(500).optional().describe('What this server is used for.'),
    referral: z.string().max(500).optional().describe('How the user found Rostra.'),
    timezone: z
      .string()
      .max(64)
      .refine(isTimezone, 'must be an IANA timezone, such as Europe/Berlin')
      .optional()
      .describe('IANA name; for times without an offset.'),
    lock_accounts_to_brand: z.boolean().optional().describe('Preference stored for clients; no effect here.'),
  }),
  output: User,
  errors: ['auth.user_not_found'],
  async run(patch, { caller }, { users }: Module<'users'>) {
    return users.update(caller, patch);
  },
});
