import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { id } from '../fields.ts';
import type { Module } from '../modules.ts';
import { appIn, credentialFields, TWITTER, TwitterCredential } from './credentials.ts';

export const setBrandTwitterCredentials = defineTool({
  name: 'set_brand_twitter_credentials',
  summary: 'Store an X app for one brand, used instead of that of the workspace.',
  http: { method: 'PUT', path: '/platforms/twitter/credentials/brand/{brand_id}' },
  effect: 'update',
  act: 'admin',
  idempotent: true,
  access: { admin: true },
  input: z.object({ brand_id: id('brand'), ...credentialFields }),
  output: TwitterCredential,
  errors: ['brand.not_found', 'resource.not_supported'],
  async run({ brand_id, ...given }, { authority }, { apps }: Module<'apps'>) {
    return apps.set(authority, TWITTER, brand_id, appIn(given)!);
  },
});
