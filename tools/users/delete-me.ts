import { z } from 'zod';
import { defineTool } from '../../src/call/tool.ts';
import { Done } from '../fields.ts';
import type { Room } from '../rooms.ts';

export const deleteMe = defineTool({
  name: 'delete_me',
  summary: 'Delete the user with all accounts, posts, media, keys and webhooks, for good.',
  http: { method: 'DELETE', path: '/users/me' },
  effect: 'delete',
  openWorld: true,
  access: { admin: true },
  input: z.object({}),
  output: Done,
  errors: ['auth.user_not_found'],
  async run(_input, { caller }, { users }: Room<'users'>) {
    return users.remove(caller);
  },
});
