import * as z from 'zod';
import { sessionParser } from '../shared/session.ts';

const Stored = z.object({
  token: z.string().min(1),
  phone_number_id: z.string().min(1),
  /** The business account to which the number belongs. */
  waba_id: z.string().min(1),
  /** The app to which the token was issued, if known. */
  app_id: z.string().optional(),
});

export type WhatsappSession = z.output<typeof Stored>;

export const sessionOf = sessionParser(Stored);
