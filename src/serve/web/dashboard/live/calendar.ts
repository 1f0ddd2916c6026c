import type { Frame } from '../frame.ts';
import type { RequestContext, Route } from '#kernel/route.ts';
import type { Visitor } from '../../sign-in/visitors.ts';

const PATH = '/dashboard/calendar';

/** Posts by the day they go out. The page itself reads them, month by month. */
export function makeCalendarRoutes({ visitors, sendLive, choices }: Frame): readonly Route[] {
  async function show(ctx: RequestContext, visitor: Visitor): Promise<void> {
    const first = await choices(ctx, visitor);
    await sendLive(ctx, visitor, { name: 'calendar', path: PATH, title: 'Calendar', first });
  }

  return Object.freeze([{ path: PATH, GET: visitors.signedIn(show) }]);
}
