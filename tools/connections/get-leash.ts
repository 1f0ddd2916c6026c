import { z } from 'zod';
import { named } from '../fields.ts';
import { defineTool } from '#call/tool.ts';
import type { Module } from '../modules.ts';
import { Acts, preset } from './connection.ts';

const Cap = named('ActCap', { max: z.int(), left: z.int() }).optional();

export const getLeash = defineTool({
  name: 'get_leash',
  summary: "Read what you may do without asking, what needs a person's approval, and how much is left today.",
  http: { method: 'GET', path: '/leash' },
  effect: 'read',
  access: { open: true },
  leashed: true,
  input: z.object({}),
  output: z.looseObject({
    connection_id: z.string().nullable(),
    preset,
    acts: Acts,
    brand_ids: z.array(z.string()),
    caps: z.looseObject({ message: Cap, comment: Cap, moderate: Cap }),
    waiting: z.int(),
  }),
  errors: [],
  async run(_, { caller }, { connections }: Module<'connections'>) {
    return connections.leashOf(caller);
  },
});
