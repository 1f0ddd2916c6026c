import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { pageShape, wholeList } from '../fields.ts';
import type { Module } from '../modules.ts';
import { Action, STATES } from './action.ts';

export const listActions = defineTool({
  name: 'list_actions',
  summary: "List requests that need a person's approval, newest first.",
  http: { method: 'GET', path: '/actions' },
  effect: 'read',
  access: { open: true },
  pastDue: 'exempt',
  leashed: true,
  input: z.object({ state: z.enum(STATES).optional().describe('Only in this state.'), ...wholeList }),
  output: z.looseObject({ count: z.int(), data: z.array(Action), ...pageShape }),
  errors: [],
  async run({ state, ...page }, { caller }, { actions, lists }: Module<'actions' | 'lists'>) {
    return lists.whole(page, { name: 'actions', given: { state }, read: () => actions.list(caller, state) });
  },
});
