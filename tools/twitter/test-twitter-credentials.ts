import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import type { Module } from '../modules.ts';
import { appIn, testedFields, TWITTER } from './credentials.ts';

export const testTwitterCredentials = defineTool({
  name: 'test_twitter_credentials',
  summary:
    'Ask X whether it accepts an app: the one given, or that of the brand or workspace; at most 5 times a minute.',
  http: { method: 'POST', path: '/platforms/twitter/credentials/test' },
  effect: 'read',
  openWorld: true,
  access: { admin: true },
  input: z.object({
    ...testedFields,
    brand_id: z.string().max(128).optional().describe("Brand whose stored app is tested; the workspace's without it."),
  }),
  output: z.looseObject({ valid: z.boolean(), reason: z.string().nullable() }),
  errors: [
    'brand.not_found',
    'byok.credentials_missing',
    'byok.test_rate_limited',
    'resource.not_supported',
    'platform.*',
  ],
  async run({ brand_id, ...given }, { authority }, { apps }: Module<'apps'>) {
    return apps.test(authority, TWITTER, { brandId: brand_id, client: appIn(given) });
  },
});
