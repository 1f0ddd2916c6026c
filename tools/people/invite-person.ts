import { z } from 'zod';
import { defineTool, recordedAnswer } from '#call/tool.ts';
import { named } from '../fields.ts';
import type { Module } from '../modules.ts';
import { givenRole, invitationFields } from './person.ts';

export const invitePerson = defineTool({
  name: 'invite_person',
  summary: 'Invite a person to the workspace; the answer has the link, which is also mailed if the server sends mail.',
  http: { method: 'POST', path: '/people/invitations', status: 201 },
  effect: 'create',
  act: 'admin',
  access: { dashboard: true },
  input: z.object({
    email: z.string().trim().min(1).max(254).describe('The address with which they will sign in.'),
    role: givenRole,
  }),
  output: named('NewInvitation', {
    ...invitationFields,
    url: z.string().describe('The link, valid once within 7 days. It is shown only now.'),
    mailed: z.boolean().describe('Whether the link is mailed to the person. If not, send it to them.'),
  }),
  errors: ['resource.conflict'],
  async run(given, { caller }, { people }: Module<'people'>) {
    return people.invite(caller, given);
  },
  resume: recordedAnswer,
});
