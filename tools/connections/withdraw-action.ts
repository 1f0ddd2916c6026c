import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { Done } from '../fields.ts';
import type { Module } from '../modules.ts';
import { actionId } from './action.ts';

export const withdrawAction = defineTool({
  name: 'withdraw_action',
  summary: 'Withdraw a request of yours that nobody has decided on yet.',
  http: { method: 'DELETE', path: '/actions/{action_id}' },
  effect: 'update',
  act: 'draft',
  idempotent: true,
  access: { open: true },
  pastDue: 'exempt',
  leashed: true,
  input: z.object({ action_id: actionId }),
  output: Done,
  errors: ['resource.not_found', 'resource.conflict'],
  async run({ action_id }, { caller }, { actions }: Module<'actions'>) {
    return actions.withdraw(caller, action_id);
  },
});
