import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { aliasOf, confirmation, Done, id } from '../fields.ts';
import type { Module } from '../modules.ts';

export const deleteBrand = defineTool({
  name: 'delete_brand',
  summary: 'Delete a brand and disconnect all its accounts.',
  http: { method: 'DELETE', path: '/brands/{brand_id}' },
  effect: 'delete',
  act: 'admin',
  openWorld: true,
  access: { admin: true },
  input: z.object({ brand_id: id('brand'), confirm: confirmation('Name of the brand') }),
  output: Done.extend({
    brand_id: aliasOf('id', z.string()),
    accounts_disconnected: z.int(),
    scheduled_posts: z.int(),
  }),
  errors: ['brand.not_found'],
  async run({ brand_id, confirm }, { authority }, { brands }: Module<'brands'>) {
    return brands.remove(authority, brand_id, confirm);
  },
});
