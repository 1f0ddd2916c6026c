import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import type { Module } from '../modules.ts';
import { Person, role, userId } from './person.ts';

export const updatePerson = defineTool({
  name: 'update_person',
  summary: 'Give a person another role; as owner, the owner hands the workspace over.',
  http: { method: 'PATCH', path: '/people/{user_id}' },
  effect: 'update',
  act: 'admin',
  idempotent: true,
  access: { dashboard: true },
  input: z.object({ user_id: userId, role: role.describe('What the person may do from now on.') }),
  output: Person,
  errors: ['resource.not_found', 'resource.conflict'],
  async run({ user_id, role: next }, { caller }, { people }: Module<'people'>) {
    return people.change(caller, user_id, next);
  },
});
