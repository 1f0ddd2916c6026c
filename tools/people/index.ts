import { toolset } from '#call/tool.ts';
import { getNotifications } from './get-notifications.ts';
import { invitePerson } from './invite-person.ts';
import { listInvitations } from './list-invitations.ts';
import { listPeople } from './list-people.ts';
import { removePerson } from './remove-person.ts';
import { revokeInvitation } from './revoke-invitation.ts';
import { setNotifications } from './set-notifications.ts';
import { updatePerson } from './update-person.ts';

export const people = toolset('people', 'People', 'Who works in the workspace, and what they may do.', [
  listPeople,
  invitePerson,
  listInvitations,
  revokeInvitation,
  updatePerson,
  removePerson,
  getNotifications,
  setNotifications,
]);
