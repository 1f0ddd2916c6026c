import type { CommentLocation } from '../../interactions.ts';
import type { AccountCall } from '../../call.ts';
import { pageOwning, sessionOf } from './session.ts';
import { unfit } from '../../shared/errors.ts';

/** The page to act as on a post: the page in the post id, else the given or only page. */
export function pageAt(call: AccountCall, { post, page }: CommentLocation): string {
  return pageNamed(call, pageOwning(sessionOf(call.session), post) ?? page);
}

/** The given page, or the only one of the login. */
export function pageNamed(call: AccountCall, named: string | undefined): string {
  const [only, another] = Object.keys(sessionOf(call.session).pages);
  const page = named ?? (another === undefined ? only : undefined);
  if (page === undefined) throw unfit('The Page has to be named.');
  return page;
}
