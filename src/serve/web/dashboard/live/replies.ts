import type { RequestContext, Route } from '#kernel/route.ts';
import type { Visitor } from '../../sign-in/visitors.ts';
import type { Frame } from '../frame.ts';

const PATH = '/dashboard/replies';

/** The page of saved replies. */
export function makeRepliesRoutes({ visitors, sendLive, list }: Frame): readonly Route[] {
  async function show(ctx: RequestContext, visitor: Visitor): Promise<void> {
    const [replies, brands] = await Promise.all([
      list(ctx, visitor, 'list_saved_replies'),
      list(ctx, visitor, 'list_brands'),
    ]);
    const first = { list_saved_replies: { data: replies }, list_brands: { data: brands } };
    await sendLive(ctx, visitor, { name: 'replies', path: PATH, title: 'Saved replies', first });
  }

  return Object.freeze([{ path: PATH, GET: visitors.signedIn(show) }]);
}
