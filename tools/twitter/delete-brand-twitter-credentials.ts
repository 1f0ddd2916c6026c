import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { Done, id } from '../fields.ts';
import type { Module } from '../modules.ts';
import { TWITTER } from './credentials.ts';

export const deleteBrandTwitterCredentials = defineTool({
  name: 'delete_brand_twitter_credentials',
  summary: 'Remove the X app of a brand; accounts connected with it must be connected again.',
  http: { method: 'DELETE', path: '/platforms/twitter/credentials/brand/{brand_id}' },
  effect: 'delete',
  act: 'admin',
  access: { admin: true },
  input: z.object({ brand_id: id('brand') }),
  output: Done,
  errors: ['brand.not_found', 'resource.not_found', 'resource.not_supported'],
  async run({ brand_id }, { authority }, { apps }: Module<'apps'>) {
    return apps.remove(authority, TWITTER, brand_id);
  },
});
