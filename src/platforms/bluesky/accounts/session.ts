import * as z from 'zod';
import { sessionParser } from '../../shared/session.ts';

export const Did = z
  .string()
  .max(2048)
  .regex(/^did:[a-z]+:[A-Za-z0-9._:%-]*[A-Za-z0-9._-]$/);

const Stored = z.object({
  did: Did,
  handle: z.string(),
  /** The URL of the account's PDS; if absent, it is the current `hosts.service`. */
  pds: z.string().optional(),
  accessJwt: z.string().min(1),
  refreshJwt: z.string().min(1),
});

export type BlueskySession = z.output<typeof Stored>;

export const sessionOf = sessionParser(Stored);
