import { z } from 'zod';
import { defineTool, recordedAnswer } from '#call/tool.ts';
import type { Module } from '../modules.ts';
import { Connection } from './account.ts';

export const selectPendingProfile = defineTool({
  name: 'select_pending_profile',
  summary: 'Connect one profile of a pending connection.',
  http: { method: 'POST', path: '/accounts/pending/{connection_id}/select', status: 201 },
  effect: 'create',
  act: 'connect',
  access: { scope: 'accounts:manage' },
  input: z.object({
    connection_id: z.string().min(1).max(128).describe('Pending connection.'),
    platform_account_id: z.string().min(1).max(256).describe('One of its profiles.'),
  }),
  output: Connection,
  errors: [
    'resource.not_found',
    'account.already_linked',
    'account.different_login',
    'brand.not_found',
    'brand.limit_reached',
    'billing.profile_units_limit',
    'resource.conflict',
  ],
  run: (input, { authority, workspace }, { accounts }: Module<'accounts'>) =>
    accounts.choose(authority, workspace, input.connection_id, input.platform_account_id),
  resume: recordedAnswer,
});
