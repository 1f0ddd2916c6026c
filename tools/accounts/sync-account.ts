import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import type { Syncing } from '#engine/accounts/sync.ts';
import { id } from '../fields.ts';
import type { Module } from '../modules.ts';

export const syncAccount = defineTool({
  name: 'sync_account',
  summary: 'Read the posts of an account from its platform, wherever they were made; at most once in 5 minutes.',
  http: { method: 'POST', path: '/accounts/{account_id}/sync' },
  effect: 'update',
  act: 'connect',
  idempotent: true,
  openWorld: true,
  access: { scope: 'accounts:manage' },
  needs: 'sync of posts',
  input: z.object({ account_id: id('account') }),
  output: z.looseObject({
    warnings: z.array(z.string()).optional().describe('Pages or lists that the platform refused; absent if none.'),
  }),
  errors: [
    'account.not_found',
    'account.reconnection_required',
    'account.no_active_page',
    'account.sync_cooldown',
    'resource.not_supported',
    'platform.*',
  ],
  async run({ account_id }, { authority, progress }, { accounts }: Module<'accounts'>) {
    return accounts.sync(authority, account_id, progress);
  },
  async resume(begun: Syncing, { account_id }, { authority, progress }, { accounts }) {
    return accounts.sync(authority, account_id, progress, begun);
  },
});
