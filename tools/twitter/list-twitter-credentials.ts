import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { pageShape, wholeList } from '../fields.ts';
import type { Module } from '../modules.ts';
import { TWITTER, TwitterCredential } from './credentials.ts';

export const listTwitterCredentials = defineTool({
  name: 'list_twitter_credentials',
  summary: 'List your X apps: that of the workspace (brand_id null) and those of brands; secrets are never shown.',
  http: { method: 'GET', path: '/platforms/twitter/credentials' },
  effect: 'read',
  access: { admin: true },
  input: z.object({ ...wholeList }),
  output: z.looseObject({ count: z.int(), data: z.array(TwitterCredential), ...pageShape }),
  errors: ['resource.not_supported'],
  async run(page, { authority }, { apps, lists }: Module<'apps' | 'lists'>) {
    const read = () => apps.list(authority, TWITTER);
    return lists.whole(page, { name: 'twitter_credentials', given: {}, read, rising: true });
  },
});
