import { z } from 'zod';
import { named, time } from '../fields.ts';

export const RedirectUri = named('RedirectUri', {
  id: z.string(),
  uri: z.string(),
  label: z.string().nullable(),
  created_at: time,
});
