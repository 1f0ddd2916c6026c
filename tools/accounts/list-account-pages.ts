import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { id, pageShape, wholeList } from '../fields.ts';
import type { Module } from '../modules.ts';
import { Page } from './page.ts';

export const listAccountPages = defineTool({
  name: 'list_account_pages',
  summary: 'List the pages of an account on a platform where accounts have several.',
  http: { method: 'GET', path: '/accounts/{account_id}/pages' },
  effect: 'read',
  access: { scope: 'accounts:read' },
  needs: 'pages',
  input: z.object({ account_id: id('account'), ...wholeList }),
  output: z.looseObject({ count: z.int(), data: z.array(Page), ...pageShape }),
  errors: ['account.not_found', 'account.pages_not_supported', 'account.reconnection_required'],
  async run({ account_id, ...page }, { authority }, { accounts, lists }: Module<'accounts' | 'lists'>) {
    const read = () => accounts.pages.list(authority, account_id);
    return lists.whole(page, { name: 'account_pages', given: { account_id }, read, rising: true });
  },
});
