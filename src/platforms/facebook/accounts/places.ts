import type { CommentLocation } from '../../interactions.ts';
import type { AccountCall } from '../../call.ts';
import { pageOwning, sessionOf } from './session.ts';
import { unfit } from '../../shared/errors.ts';

/** The page that acts on a post: the one in the post id, otherwise the given page or the only one. */
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
