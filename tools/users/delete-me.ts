import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { confirmation, Done } from '../fields.ts';
import type { Module } from '../modules.ts';

export const deleteMe = defineTool({
  name: 'delete_me',
  summary:
    'Delete the user for good; the owner of a workspace with all its accounts, posts, media, keys, webhooks and people.',
  http: { method: 'DELETE', path: '/users/me' },
  effect: 'delete',
  act: 'admin',
  openWorld: true,
  access: { admin: true },
  input: z.object({ confirm: confirmation('E-mail address of the user') }),
  output: Done,
  errors: ['auth.user_not_found', 'resource.conflict'],
  async run({ confirm }, { caller }, { users }: Module<'users'>) {
    return users.remove(caller, confirm);
  },
});
