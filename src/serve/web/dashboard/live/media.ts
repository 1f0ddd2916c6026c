import type { RequestContext, Route } from '#kernel/route.ts';
import { bodyOf } from '../../kit/operate.ts';
import type { Visitor } from '../../sign-in/visitors.ts';
import type { Frame } from '../frame.ts';

const PATH = '/dashboard/media';
const PAGE_SIZE = 48;

export function makeMediaRoutes({ visitors, operate, sendLive }: Frame): readonly Route[] {
  async function show(ctx: RequestContext, visitor: Visitor): Promise<void> {
    const input = { limit: PAGE_SIZE };
    const [items, storage] = await Promise.all([
      operate(ctx, visitor, 'list_media', input),
      operate(ctx, visitor, 'get_storage_usage'),
    ]);
    const first = { input, list_media: bodyOf(items), get_storage_usage: bodyOf(storage) };
    await sendLive(ctx, visitor, { name: 'media', path: PATH, title: 'Media', first });
  }

  return Object.freeze([{ path: PATH, GET: visitors.signedIn(show) }]);
}
