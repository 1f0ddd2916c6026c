import * as z from 'zod';
import { PLATFORM_REASONS } from '../../kernel/errors.ts';
import type { Session } from '../call.ts';
import { PlatformError } from '../errors.ts';

const Stored = z.object({
  user_token: z.string().min(1),
  user_id: z.string().min(1),
  /** The app the tokens were given to: posts name it as their maker. */
  app_id: z.string().optional(),
  /** A token for each page of the login, by the page's id. */
  pages: z.record(z.string(), z.string().min(1)),
});

export type FacebookSession = z.output<typeof Stored>;

/** Reads a stored session; one that cannot be read must be made anew by its owner. */
export function sessionOf(session: Session): FacebookSession {
  const stored = Stored.safeParse(session);
  if (!stored.success) throw new PlatformError('refused', 'auth', PLATFORM_REASONS.auth[1]);
  return stored.data;
}

/** The token that acts for a page; refuses for a page that the login does not manage. */
export function pageToken(session: FacebookSession, page: string | undefined): string {
  if (page === undefined) throw new PlatformError('refused', 'invalid_request', 'The Page has to be named.');
  const token = Object.hasOwn(session.pages, page) ? session.pages[page] : undefined;
  if (token === undefined) {
    throw new PlatformError('refused', 'permission_denied', 'The login does not manage this Page (any more).');
  }
  return token;
}

/**
 * The page that something belongs to: its id begins with the page's, as ids of posts do. What has an id of its own
 * (a video, a comment) belongs to the only page of a login that has one, else it cannot be told.
 */
export function pageOwning(session: FacebookSession, id: string): string | undefined {
  const pages = Object.keys(session.pages);
  const head = id.split('_', 1)[0]!;
  return pages.includes(head) ? head : pages.length === 1 ? pages[0] : undefined;
}
