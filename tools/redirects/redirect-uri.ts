import { z } from 'zod';
import { time } from '../fields.ts';

export const RedirectUri = z.looseObject({
  id: z.string(),
  uri: z.string(),
  label: z.string().nullable(),
  created_at: time,
});
