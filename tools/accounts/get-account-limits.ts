import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { id } from '../fields.ts';
import type { Module } from '../modules.ts';

export const getAccountLimits = defineTool({
  name: 'get_account_limits',
  summary: "Ask the platform what is left of an account's limits; empty if it has none.",
  http: { method: 'GET', path: '/accounts/{account_id}/limits' },
  effect: 'read',
  openWorld: true,
  access: { scope: 'accounts:read' },
  needs: 'remaining limits',
  input: z.object({ account_id: id('account') }),
  output: z.object({}).catchall(z.int()),
  errors: ['account.not_found', 'account.reconnection_required', 'resource.not_supported', 'platform.*'],
  async run({ account_id }, { authority }, { accounts }: Module<'accounts'>) {
    return accounts.limits(authority, account_id);
  },
});
