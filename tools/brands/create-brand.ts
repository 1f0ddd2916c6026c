import { z } from 'zod';
import { defineTool, recordedAnswer } from '#call/tool.ts';
import type { Module } from '../modules.ts';
import { Brand, brandName } from './brand.ts';

export const createBrand = defineTool({
  name: 'create_brand',
  summary: 'Add a brand: a named group holding at most one account per platform.',
  http: { method: 'POST', path: '/brands', status: 201 },
  effect: 'create',
  act: 'admin',
  access: { admin: true },
  input: z.object({ name: brandName }),
  output: Brand,
  errors: ['billing.brands_limit', 'billing.profile_units_limit'],
  async run({ name }, { workspace }, { brands }: Module<'brands'>) {
    return brands.create(workspace, name);
  },
  resume: recordedAnswer,
});
