import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import type { Module } from '../modules.ts';
import { Action, actionId, etag, note } from './action.ts';

export const denyAction = defineTool({
  name: 'deny_action',
  summary: 'Deny a request of a connection, with a note that it can read.',
  http: { method: 'POST', path: '/actions/{action_id}/deny' },
  effect: 'update',
  act: 'admin',
  idempotent: true,
  access: { decide: true },
  pastDue: 'exempt',
  input: z.object({ action_id: actionId, etag, note }),
  output: Action,
  errors: ['resource.not_found', 'resource.conflict', 'resource.gone'],
  async run({ action_id, ...decision }, { caller, page }, { actions }: Module<'actions'>) {
    return actions.deny(caller, page === true ? 'page' : 'rest', action_id, decision);
  },
});
