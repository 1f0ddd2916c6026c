import type { Frame } from '../frame.ts';
import type { RequestContext, Route } from '#kernel/route.ts';
import type { Visitor } from '../../sign-in/visitors.ts';

const PATH = '/dashboard/calendar';

/** Posts by the day they go out. The page itself reads them, month by month. */
export function makeCalendarRoutes({ visitors, sendLive, list }: Frame): readonly Route[] {
  async function show(ctx: RequestContext, visitor: Visitor): Promise<void> {
    const [accounts, brands] = await Promise.all([
      list(ctx, visitor, 'list_accounts'),
      list(ctx, visitor, 'list_brands'),
    ]);
    const first = { list_accounts: { data: accounts }, list_brands: { data: brands } };
    await sendLive(ctx, visitor, { name: 'calendar', path: PATH, title: 'Calendar', first });
  }

  return Object.freeze([{ path: PATH, GET: visitors.signedIn(show) }]);
}
