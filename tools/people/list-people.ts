import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { pageShape, wholeList } from '../fields.ts';
import type { Module } from '../modules.ts';
import { Person } from './person.ts';

export const listPeople = defineTool({
  name: 'list_people',
  summary: 'List the people of the workspace with their roles.',
  http: { method: 'GET', path: '/people' },
  effect: 'read',
  access: { dashboard: true },
  pastDue: 'exempt',
  input: z.object({ ...wholeList }),
  output: z.looseObject({ count: z.int(), data: z.array(Person), ...pageShape }),
  errors: [],
  async run(page, { caller }, { people, lists }: Module<'people' | 'lists'>) {
    return lists.whole(page, { name: 'people', given: {}, read: () => people.list(caller) });
  },
});
