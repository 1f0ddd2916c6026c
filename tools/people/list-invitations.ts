import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { pageShape, wholeList } from '../fields.ts';
import type { Module } from '../modules.ts';
import { Invitation } from './person.ts';

export const listInvitations = defineTool({
  name: 'list_invitations',
  summary: 'List the invitations to the workspace that are open.',
  http: { method: 'GET', path: '/people/invitations' },
  effect: 'read',
  access: { dashboard: true },
  pastDue: 'exempt',
  input: z.object({ ...wholeList }),
  output: z.looseObject({ count: z.int(), data: z.array(Invitation), ...pageShape }),
  errors: [],
  async run(page, { caller }, { people, lists }: Module<'people' | 'lists'>) {
    return lists.whole(page, { name: 'invitations', given: {}, read: () => people.invitations(caller) });
  },
});
