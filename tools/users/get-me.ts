import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import type { Module } from '../modules.ts';
import { User } from './user.ts';

export const getMe = defineTool({
  name: 'get_me',
  summary: 'Show the user behind this token, with plan and billing state.',
  http: { method: 'GET', path: '/users/me' },
  effect: 'read',
  access: { open: true },
  pastDue: 'exempt',
  input: z.object({}),
  output: User,
  errors: ['auth.user_not_found'],
  async run(_input, { caller }, { users }: Module<'users'>) {
    return users.me(caller);
  },
});
