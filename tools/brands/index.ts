import { toolset } from '#call/tool.ts';
import { createBrand } from './create-brand.ts';
import { deleteBrand } from './delete-brand.ts';
import { listBrands } from './list-brands.ts';
import { updateBrand } from './update-brand.ts';

export const brands = toolset('brands', 'Brands', 'Named groups of accounts, one per platform each.', [
  listBrands,
  createBrand,
  updateBrand,
  deleteBrand,
]);
