import { toolset } from '#call/tool.ts';
import { createInvite } from './create-invite.ts';
import { listInvites } from './list-invites.ts';
import { revokeInvite } from './revoke-invite.ts';

export const invites = toolset('invites', 'Invites', 'Links by which guests connect an account.', [
  createInvite,
  listInvites,
  revokeInvite,
]);
