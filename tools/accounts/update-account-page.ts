import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { id } from '../fields.ts';
import type { Module } from '../modules.ts';
import { Page } from './page.ts';

export const updateAccountPage = defineTool({
  name: 'update_account_page',
  summary: 'Make a page the default of its account, or switch it on or off.',
  http: { method: 'PATCH', path: '/accounts/{account_id}/pages/{page_id}' },
  effect: 'update',
  act: 'connect',
  idempotent: true,
  access: { scope: 'accounts:manage' },
  needs: 'pages',
  input: z.object({
    account_id: id('account'),
    page_id: id('page').describe("Our id or the platform's."),
    is_default: z.boolean().optional().describe('True: used if no page is named.'),
    is_active: z.boolean().optional().describe('False: nothing is published to it or received from it.'),
  }),
  output: Page,
  errors: [
    'billing.profile_units_limit',
    'account.not_found',
    'resource.not_found',
    'account.pages_not_supported',
    'account.reconnection_required',
    'resource.conflict',
  ],
  async run({ account_id, page_id, ...change }, { authority }, { accounts }: Module<'accounts'>) {
    return accounts.pages.update(authority, account_id, page_id, change);
  },
});
