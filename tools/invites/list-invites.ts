import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { id, pageShape, wholeList } from '../fields.ts';
import type { Module } from '../modules.ts';
import { Invite } from './invite.ts';

export const listInvites = defineTool({
  name: 'list_invites',
  summary: 'List the invites to a brand, newest first; used, revoked and expired ones are not active.',
  http: { method: 'GET', path: '/invites' },
  effect: 'read',
  access: { admin: true },
  input: z.object({ brand_id: id('brand'), ...wholeList }),
  output: z.looseObject({ count: z.int(), data: z.array(Invite), ...pageShape }),
  errors: ['brand.not_found'],
  async run({ brand_id, ...page }, { authority }, { invites, lists }: Module<'invites' | 'lists'>) {
    return lists.whole(page, { name: 'invites', given: { brand_id }, read: () => invites.list(authority, brand_id) });
  },
});
