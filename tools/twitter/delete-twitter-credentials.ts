import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { Done } from '../fields.ts';
import type { Module } from '../modules.ts';
import { TWITTER } from './credentials.ts';

export const deleteTwitterCredentials = defineTool({
  name: 'delete_twitter_credentials',
  summary: 'Remove the X app of the workspace; accounts connected with it must be connected again.',
  http: { method: 'DELETE', path: '/platforms/twitter/credentials' },
  effect: 'delete',
  act: 'admin',
  access: { admin: true },
  input: z.object({}),
  output: Done,
  errors: ['resource.not_found', 'resource.not_supported'],
  async run(_input, { authority }, { apps }: Module<'apps'>) {
    return apps.remove(authority, TWITTER, undefined);
  },
});
