import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { Done, id } from '../fields.ts';
import type { Module } from '../modules.ts';

export const revokeInvite = defineTool({
  name: 'revoke_invite',
  summary: 'Withdraw an unused invite; it stays listed as not active.',
  http: { method: 'DELETE', path: '/invites/{invite_id}' },
  effect: 'delete',
  act: 'admin',
  access: { admin: true },
  input: z.object({ invite_id: id('invite') }),
  output: Done,
  errors: ['resource.not_found'],
  async run({ invite_id }, { authority }, { invites }: Module<'invites'>) {
    return invites.revoke(authority, invite_id);
  },
});
