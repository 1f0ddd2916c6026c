import { ABILITIES } from '#kernel/people/abilities.ts';
import type { RequestContext, Route } from '#kernel/route.ts';
import { bodyOf } from '../../kit/operate.ts';
import type { Visitor } from '../../sign-in/visitors.ts';
import type { Frame } from '../frame.ts';
import { NAMED, slim, type ListedAccount } from './account-fields.ts';

const PATH = '/dashboard/exports';

/** The page that exports the posts of accounts as files. */
export function makeExportsRoutes({ visitors, operate, sendLive, list }: Frame): readonly Route[] {
  async function show(ctx: RequestContext, visitor: Visitor): Promise<void> {
    const [exports, accounts] = await Promise.all([
      operate(ctx, visitor, 'list_exports'),
      list<ListedAccount>(ctx, visitor, 'list_accounts'),
    ]);
    const first = {
      list_exports: bodyOf(exports),
      list_accounts: { data: slim(accounts, [...NAMED, 'capabilities'], ABILITIES.exports) },
    };
    await sendLive(ctx, visitor, { name: 'exports', path: PATH, title: 'Exports', first });
  }

  return Object.freeze([{ path: PATH, GET: visitors.signedIn(show) }]);
}
