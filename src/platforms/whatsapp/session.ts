import * as z from 'zod';
import { sessionParser } from '../shared/session.ts';

const Stored = z.object({
  token: z.string().min(1),
  phone_number_id: z.string().min(1),
  /** The WhatsApp Business Account that the number belongs to. */
  waba_id: z.string().min(1),
  /** The app that the token was issued to, where it says so. */
  app_id: z.string().optional(),
});

export type WhatsappSession = z.output<typeof Stored>;

/** Parses a stored session; an invalid one requires a reconnect. */
export const sessionOf = sessionParser(Stored);
