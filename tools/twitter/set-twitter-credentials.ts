import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import type { Module } from '../modules.ts';
import { appIn, credentialFields, TWITTER, TwitterCredential } from './credentials.ts';

export const setTwitterCredentials = defineTool({
  name: 'set_twitter_credentials',
  summary:
    'Store your app on X for the workspace; accounts keep the app they were connected with until they reconnect.',
  http: { method: 'PUT', path: '/platforms/twitter/credentials' },
  effect: 'update',
  act: 'admin',
  idempotent: true,
  access: { admin: true },
  input: z.object(credentialFields),
  output: TwitterCredential,
  errors: ['resource.not_supported'],
  async run(given, { authority }, { apps }: Module<'apps'>) {
    return apps.set(authority, TWITTER, undefined, appIn(given)!);
  },
});
