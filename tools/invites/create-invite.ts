import { z } from 'zod';
import { defineTool, recordedAnswer } from '#call/tool.ts';
import { connectedPlatform, id } from '../fields.ts';
import type { Module } from '../modules.ts';
import { Invite } from './invite.ts';

const DAYS: readonly number[] = [1, 3, 7, 14, 30];
const ONE_OF = `expires_in_days must be one of: ${DAYS.join(', ')}`;

export const createInvite = defineTool({
  name: 'create_invite',
  summary: 'Create a link with which somebody without a user connects one account to a brand; it works once.',
  http: { method: 'POST', path: '/invites', status: 201 },
  effect: 'create',
  act: 'admin',
  access: { admin: true },
  input: z.object({
    brand_id: id('brand'),
    platform: connectedPlatform,
    expires_in_days: z
      .int(ONE_OF)
      .refine((days) => DAYS.includes(days), ONE_OF)
      .describe('Days the link can be used: 1, 3, 7, 14 or 30.'),
  }),
  output: Invite,
  errors: [
    'brand.not_found',
    'account.unsupported_platform',
    'billing.platform_not_available',
    'byok.credentials_missing',
    'resource.conflict',
    'resource.not_supported',
  ],
  async run({ brand_id, platform, expires_in_days: days }, call, { invites }: Module<'invites'>) {
    return invites.create(call.authority, call.workspace, { brandId: brand_id, platform, days });
  },
  resume: recordedAnswer,
});
