import * as z from 'zod';
import { PLATFORM_REASONS } from '../../../kernel/errors.ts';
import type { Session } from '../../call.ts';
import { PlatformError } from '../../errors.ts';

const Stored = z.object({
  user_token: z.string().min(1),
  user_id: z.string().min(1),
  /** The app that issued the tokens; posts name it as their creator. */
  app_id: z.string().optional(),
  /** Page tokens by page id. */
  pages: z.record(z.string(), z.string().min(1)),
});

export type FacebookSession = z.output<typeof Stored>;

/** Parses a stored session; an invalid one requires a reconnect. */
export function sessionOf(session: Session): FacebookSession {
  const stored = Stored.safeParse(session);
  if (!stored.success) throw new PlatformError('refused', 'auth', PLATFORM_REASONS.auth[1]);
  return stored.data;
}

/** The token of a page; throws if the login does not manage the page. */
export function pageToken(session: FacebookSession, page: string | undefined): string {
  if (page === undefined) throw new PlatformError('refused', 'invalid_request', 'The Page has to be named.');
  const token = Object.hasOwn(session.pages, page) ? session.pages[page] : undefined;
  if (token === undefined) {
    throw new PlatformError('refused', 'permission_denied', 'The login does not manage this Page (any more).');
  }
  return token;
}

/**
 * The page that owns an object: ids of posts start with the page id. An object with an id of its own (a video, a
 * comment) belongs to the page of a login that has only one, else undefined.
 */
export function pageOwning(session: FacebookSession, id: string): string | undefined {
  const pages = Object.keys(session.pages);
  const head = id.split('_', 1)[0]!;
  return pages.includes(head) ? head : pages.length === 1 ? pages[0] : undefined;
}
