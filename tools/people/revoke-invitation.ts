import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { Done, id } from '../fields.ts';
import type { Module } from '../modules.ts';

export const revokeInvitation = defineTool({
  name: 'revoke_invitation',
  summary: 'Revoke an invitation; its link no longer works.',
  http: { method: 'DELETE', path: '/people/invitations/{invitation_id}' },
  effect: 'delete',
  act: 'admin',
  access: { dashboard: true },
  pastDue: 'exempt',
  input: z.object({ invitation_id: id('invitation') }),
  output: Done,
  errors: ['resource.not_found'],
  async run({ invitation_id }, { caller }, { people }: Module<'people'>) {
    return people.revoke(caller, invitation_id);
  },
});
