import type { RequestContext, Route } from '#kernel/route.ts';
import { bodyOf } from '../../kit/operate.ts';
import type { Visitor } from '../../sign-in/visitors.ts';
import type { Frame } from '../frame.ts';

const PATH = '/dashboard/webhooks';
const PAGE_SIZE = 25;
/** The delivery states that have a view; any other value shows all. */
const VIEWS: ReadonlySet<string> = new Set(['pending', 'delivered', 'failed']);
const LONGEST_EVENT = 100;

/** The pages of webhook endpoints and of their deliveries. */
export function makeWebhooksRoutes({ forThose, operate, sendLive, list }: Frame): readonly Route[] {
  async function eventsFor(ctx: RequestContext, visitor: Visitor) {
    const [events, actions] = await Promise.all([
      list(ctx, visitor, 'list_webhook_events'),
      operate(ctx, visitor, 'list_webhook_events', { category: 'actions' }),
    ]);
    return { data: [...events, ...bodyOf<{ data: readonly unknown[] }>(actions).data] };
  }

  async function showAll(ctx: RequestContext, visitor: Visitor): Promise<void> {
    const [endpoints, events] = await Promise.all([operate(ctx, visitor, 'list_webhooks'), eventsFor(ctx, visitor)]);
    const first = { list_webhooks: bodyOf(endpoints), events };
    await sendLive(ctx, visitor, { name: 'webhooks', path: PATH, title: 'Webhooks', first });
  }

  async function showOne(ctx: RequestContext, visitor: Visitor, webhook_id: string): Promise<void> {
    const query = new URLSearchParams(ctx.querystring);
    const view = query.get('view') ?? '';
    const input = {
      webhook_id,
      status: VIEWS.has(view) ? view : undefined,
      event_type: query.get('event')?.slice(0, LONGEST_EVENT) || undefined,
      limit: PAGE_SIZE,
    };
    const [endpoint, deliveries, events] = await Promise.all([
      operate(ctx, visitor, 'get_webhook', { webhook_id }),
      operate(ctx, visitor, 'list_webhook_deliveries', input),
      eventsFor(ctx, visitor),
    ]);
    const first = { input, get_webhook: bodyOf(endpoint), list_webhook_deliveries: bodyOf(deliveries), events };
    await sendLive(ctx, visitor, { name: 'webhook', path: PATH, title: 'Webhook', first });
  }

  return Object.freeze([
    { path: PATH, GET: forThose('list_webhooks', showAll) },
    { path: `${PATH}/{uid}`, GET: forThose('get_webhook', (ctx, visitor, { uid }) => showOne(ctx, visitor, uid!)) },
  ]);
}
