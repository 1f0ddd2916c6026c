import * as z from 'zod';
import { sessionParser } from '../../shared/session.ts';

const Stored = z.object({
  /** Of the person by Instagram login, of the Page by Facebook login. */
  token: z.string().min(1),
  /** The professional account: its id in paths and pushes. */
  user_id: z.string().min(1),
  /** What the app calls the person. */
  login_id: z.string().min(1),
  /** When the token was issued; by Instagram login. */
  issued_at: z.number().optional(),
  /** The linked Page, and the token of the person; by Facebook login. */
  page_id: z.string().optional(),
  user_token: z.string().optional(),
});

export type InstagramSession = z.output<typeof Stored>;

/** Parses a stored session; an invalid one requires a reconnect. */
export const sessionOf = sessionParser(Stored);
