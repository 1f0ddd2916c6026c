import { z } from 'zod';
import { otherForAssistants } from '#call/input.ts';
import { defineTool } from '#call/tool.ts';
import { id, limit, pageShape, platformSlug, wholeList } from '../fields.ts';
import type { Module } from '../modules.ts';
import { Account } from './account.ts';

export const listAccounts = defineTool({
  name: 'list_accounts',
  summary: 'List the connected social accounts, including those that must be connected again.',
  http: { method: 'GET', path: '/accounts' },
  effect: 'read',
  access: { scope: 'accounts:read' },
  input: z.object({
    brand_id: id('brand').optional(),
    platform: platformSlug.optional().describe('Only accounts of this platform.'),
    ...wholeList,
    // Hundreds of accounts with their capabilities do not fit a model.
    limit: otherForAssistants(wholeList.limit, limit(50)),
  }),
  output: z.looseObject({ count: z.int(), data: z.array(Account), ...pageShape }),
  errors: ['brand.not_found'],
  async run({ brand_id, platform, ...page }, { authority }, { accounts, lists }: Module<'accounts' | 'lists'>) {
    return lists.whole(page, {
      name: 'accounts',
      given: { brand_id, platform },
      read: (filters) => accounts.list(authority, { brandId: filters.brand_id, platform: filters.platform }),
    });
  },
});
