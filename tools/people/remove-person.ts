import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { Done } from '../fields.ts';
import type { Module } from '../modules.ts';
import { userId } from './person.ts';

export const removePerson = defineTool({
  name: 'remove_person',
  summary: 'Remove a person from the workspace, or leave it: their sign-in, apps and API keys end.',
  http: { method: 'DELETE', path: '/people/{user_id}' },
  effect: 'delete',
  act: 'admin',
  access: { dashboard: 'accounts:read' },
  pastDue: 'exempt',
  input: z.object({
    user_id: userId,
    end_keys: z
      .boolean()
      .default(true)
      .describe('false keeps the API keys that somebody else made, without the right to manage the workspace.'),
  }),
  output: Done,
  errors: ['resource.not_found', 'resource.conflict'],
  async run({ user_id, end_keys }, { caller }, { people }: Module<'people'>) {
    return people.remove(caller, user_id, { endKeys: end_keys });
  },
});
