import { z } from 'zod';
import { ALL_ROLES, GIVEN_ROLES } from '#kernel/people/roles.ts';
import { id, named, time } from '../fields.ts';

export const role = z.enum(ALL_ROLES);
export const givenRole = z.enum(GIVEN_ROLES).describe('What the person may do.');
export const userId = id('person');

export const Person = named('Member', {
  id: z.string(),
  name: z.string(),
  email: z.string(),
  role,
  is_you: z.boolean(),
  disabled: z.boolean().describe('The operator of the server has disabled them.'),
  created_at: time,
});

export const invitationFields = {
  id: z.string(),
  email: z.string(),
  role,
  invited_by: z.string().describe('The name of the person.'),
  created_at: time,
  expires_at: time,
};

export const Invitation = named('Invitation', invitationFields);
