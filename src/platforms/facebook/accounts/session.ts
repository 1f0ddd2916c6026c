import * as z from 'zod';
import { sessionParser } from '../../shared/session.ts';
import { refused, unfit } from '../../shared/errors.ts';

const Stored = z.object({
  user_token: z.string().min(1),
  user_id: z.string().min(1),
  /** The app that issued the tokens; posts name it as the app that created them. */
  app_id: z.string().optional(),
  pages: z.record(z.string(), z.string().min(1)),
});

export type FacebookSession = z.output<typeof Stored>;

export const sessionOf = sessionParser(Stored);

/** The token of a page; throws if the login does not manage the page. */
export function pageToken(session: FacebookSession, page: string | undefined): string {
  if (page === undefined) throw unfit('The Page has to be named.');
  const token = Object.hasOwn(session.pages, page) ? session.pages[page] : undefined;
  if (token === undefined) {
    throw refused('permission_denied', 'The login does not manage this Page, or no longer does.');
  }
  return token;
}

/** The page that owns an object: a post id begins with the page id; other ids belong to a login's only page. */
export function pageOwning(session: FacebookSession, id: string): string | undefined {
  const pages = Object.keys(session.pages);
  const head = id.split('_', 1)[0]!;
  if (pages.includes(head)) return head;
  return pages.length === 1 ? pages[0] : undefined;
}
