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
  pastDue: 'exempt',
  input: z.object({
    user_id: userId,
    role: role.describe('What the person may do from now on.'),
    password: z.string().max(1024).optional().describe('Your password, needed to make another person the owner.'),
  }),
  output: Person,
  errors: ['resource.not_found', 'resource.conflict', 'http.429'],
  async run({ user_id, role: next, password = '' }, { caller }, { people, signin }: Module<'people' | 'signin'>) {
    const refusal =
      next === 'owner' ? await signin.confirmPassword(caller, password, 'to hand the workspace over') : undefined;
    if (refusal) throw refusal;
    return people.change(caller, user_id, next);
  },
});
