import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import type { Module } from '../modules.ts';
import { Action, actionId } from './action.ts';

export const getAction = defineTool({
  name: 'get_action',
  summary: 'Read the state of a request that needs approval: with its note, result or error.',
  http: { method: 'GET', path: '/actions/{action_id}' },
  effect: 'read',
  access: { open: true },
  pastDue: 'exempt',
  leashed: true,
  input: z.object({ action_id: actionId }),
  output: Action,
  errors: ['resource.not_found'],
  async run({ action_id }, { caller }, { actions }: Module<'actions'>) {
    return actions.get(caller, action_id);
  },
});
