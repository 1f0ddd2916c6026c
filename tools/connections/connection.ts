import { z } from 'zod';
import { ACTS } from '#kernel/acts.ts';
import { CAPPED, MOST_A_DAY, PRESETS, VERDICTS } from '#kernel/limits/leash.ts';
import { id, idList, named, time } from '../fields.ts';

export const connectionId = id('connection');

export const preset = z.enum(PRESETS);

/** How freely a connection may do each act. */
export const Acts = named(
  'Acts',
  Object.fromEntries(Object.keys(ACTS).map((act) => [act, z.enum(VERDICTS)])) as Record<
    keyof typeof ACTS,
    z.ZodEnum<{ [V in (typeof VERDICTS)[number]]: V }>
  >,
);

const Counts = named(
  'ActCounts',
  Object.fromEntries(CAPPED.map((act) => [act, z.int()])) as Record<(typeof CAPPED)[number], z.ZodInt>,
);

export const Connection = named('Connection', {
  id: z.string(),
  kind: z.enum(['oauth', 'key']),
  name: z.string(),
  host: z.string(),
  preset,
  acts: Acts,
  brand_ids: z.array(z.string()),
  caps: Counts,
  decides: z.boolean(),
  used_today: Counts,
  waiting: z.int(),
  connected_at: time,
  last_used_at: time.nullable(),
});

const cap = z.int().min(0).max(MOST_A_DAY).optional();

/** The fields of a connection's limits. */
export const leashFields = {
  preset: preset.describe('What the connection may do: read, draft, ask, answer or full.'),
  brand_ids: idList('brands it is limited to; none: all it may see anyway').optional(),
  caps: z
    .object({ message: cap, comment: cap, moderate: cap })
    .optional()
    .describe('How many per day (UTC) before a person must approve; default 100, 100 and 200.'),
};
