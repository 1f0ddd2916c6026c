import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { aliasOf, Done, id } from '../fields.ts';
import type { Module } from '../modules.ts';

export const disconnectAccount = defineTool({
  name: 'disconnect_account',
  summary: 'Disconnect a social account and delete its tokens; scheduled posts to it will fail.',
  http: { method: 'DELETE', path: '/accounts/{account_id}' },
  effect: 'delete',
  act: 'connect',
  openWorld: true,
  access: { scope: 'accounts:manage' },
  input: z.object({ account_id: id('account') }),
  output: Done.extend({ account_id: aliasOf('id', z.string()), revoked: z.boolean(), scheduled_posts: z.int() }),
  errors: ['account.not_found'],
  async run({ account_id }, { authority }, { accounts }: Module<'accounts'>) {
    return accounts.disconnect(authority, account_id);
  },
});
