import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import type { Module } from '../modules.ts';
import { Action, actionId, etag, note } from './action.ts';

const MOST_EDITS = 100;

export const approveAction = defineTool({
  name: 'approve_action',
  summary: 'Approve a request of a connection, with changed texts if you like; it is then done once.',
  http: { method: 'POST', path: '/actions/{action_id}/approve' },
  effect: 'update',
  act: 'admin',
  idempotent: true,
  access: { decide: true },
  input: z.object({
    action_id: actionId,
    etag,
    edits: z
      .record(z.string().max(200), z.string().max(100_000))
      .refine((edits) => Object.keys(edits).length <= MOST_EDITS, `must change at most ${MOST_EDITS} texts`)
      .optional()
      .describe('Texts to send instead, by their JSON pointer in the input, as /text or /targets/0/text.'),
    note,
  }),
  output: Action,
  errors: ['resource.not_found', 'resource.conflict', 'resource.gone'],
  async run({ action_id, ...decision }, { caller, page }, { actions }: Module<'actions'>) {
    return actions.approve(caller, page === true ? 'page' : 'rest', action_id, decision);
  },
});
