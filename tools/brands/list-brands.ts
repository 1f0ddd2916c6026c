import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { pageShape, wholeList } from '../fields.ts';
import type { Module } from '../modules.ts';
import { Brand } from './brand.ts';

export const listBrands = defineTool({
  name: 'list_brands',
  summary: 'List the brands, newest first.',
  http: { method: 'GET', path: '/brands' },
  effect: 'read',
  access: { scope: 'accounts:read' },
  input: z.object({ ...wholeList }),
  output: z.looseObject({ count: z.int(), data: z.array(Brand), ...pageShape }),
  errors: [],
  async run(page, { authority }, { brands, lists }: Module<'brands' | 'lists'>) {
    return lists.whole(page, { name: 'brands', given: {}, read: () => brands.list(authority) });
  },
});
