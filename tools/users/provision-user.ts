import { z } from 'zod';
import { answer } from '#call/context.ts';
import { defineTool } from '#call/tool.ts';
import type { Module } from '../modules.ts';
import { User } from './user.ts';

export const provisionUser = defineTool({
  name: 'provision_user',
  summary: 'Create a user with a workspace for a dashboard token; an existing user is returned unchanged.',
  http: { method: 'POST', path: '/users/provision', status: 201, also: [200] },
  effect: 'create',
  act: 'admin',
  idempotent: true,
  access: { dashboard: 'accounts:read' },
  newcomers: true,
  input: z.object({
    email: z.string().trim().min(1).max(254).optional().describe("E-mail address; default: the token's."),
    name: z.string().trim().min(1).max(100).optional().describe("Name; default: the token's."),
  }),
  output: User,
  errors: [],
  async run(input, { caller }, { users }: Module<'users'>) {
    const { made, user } = await users.provision(caller, input);
    return answer(user, { status: made ? 201 : 200 });
  },
});
