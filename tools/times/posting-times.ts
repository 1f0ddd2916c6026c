import { z } from 'zod';
import { CLOCK_TIME, WEEKDAYS } from '#kernel/text/local-time.ts';
import { named } from '../fields.ts';

export const weeklyTime = z.object({
  day: z.enum(WEEKDAYS).describe('Day of the week.'),
  time: z
    .string()
    .max(5)
    .regex(CLOCK_TIME, 'must be a time from 00:00 to 23:59, such as 09:00')
    .describe('Time on the clock, such as 09:00.'),
});

const PostingTime = named('PostingTime', { day: z.string(), time: z.string() });

export const PostingTimes = named('PostingTimes', {
  brand_id: z.string().nullable().describe('Null for those of the workspace.'),
  timezone: z.string(),
  inherited: z.boolean().describe('The brand has none of its own, so these are those of the workspace.'),
  times: z.array(PostingTime),
});

export const brandOfTimes = z.string().min(1).max(128).optional();
