import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { id } from '../fields.ts';
import type { Module } from '../modules.ts';
import { Brand, brandName } from './brand.ts';

export const updateBrand = defineTool({
  name: 'update_brand',
  summary: 'Rename a brand.',
  http: { method: 'PATCH', path: '/brands/{brand_id}' },
  effect: 'update',
  act: 'admin',
  idempotent: true,
  access: { admin: true },
  input: z.object({ brand_id: id('brand'), name: brandName }),
  output: Brand,
  errors: ['brand.not_found'],
  async run({ brand_id, name }, { authority }, { brands }: Module<'brands'>) {
    return brands.rename(authority, brand_id, name);
  },
});
