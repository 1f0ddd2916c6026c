import type { Config } from '#kernel/config/config.ts';
import type { RequestContext, Route } from '#kernel/route.ts';
import { attributes, html, type Html } from '#kernel/text/html.ts';
import { sizeOf } from '#kernel/people/size.ts';
import { BILLING } from '../../kit/billing-path.ts';
import { bodyOf } from '../../kit/operate.ts';
import { drawTime } from '../../kit/times.ts';
import type { Visitor } from '../../sign-in/visitors.ts';
import type { Frame } from '../frame.ts';

const PATH = '/dashboard/usage';

type Usage = Readonly<{
  brands_used: number;
  brands_limit: number;
  posts_used: number;
  posts_limit: number;
  interactions_used: number;
  interactions_limit: number;
  period_start: string;
  period_end: string;
}>;
type Storage = Readonly<{ used_bytes: number; limit_bytes: number; count: number }>;

/** The page that shows how much of the plan is used. */
export function makeUsageRoutes(
  { visitors, operate, send, may }: Frame,
  { stripe }: Pick<Config, 'stripe'>,
): readonly Route[] {
  async function show(ctx: RequestContext, visitor: Visitor): Promise<void> {
    const [usage, storage] = await Promise.all([
      operate(ctx, visitor, 'get_usage').then(bodyOf<Usage>),
      operate(ctx, visitor, 'get_storage_usage').then(bodyOf<Storage>),
    ]);
    const { plan, timezone } = visitor.caller.workspace;
    const body = html`<p>
        The plan is <strong>${plan}</strong>.${
          stripe !== undefined &&
          may(visitor, 'create_portal_session') &&
          html` <a href="${BILLING}">Card, invoices and other plans</a>`
        }
      </p>
      <p class="quiet">
        Posts and answers are counted from ${drawTime(usage.period_start, timezone)} to
        ${drawTime(usage.period_end, timezone)}.
      </p>
      ${drawMeter('posts', 'Posts', usage.posts_used, usage.posts_limit)}
      ${drawMeter('interactions', 'Messages, answers and other interactions', usage.interactions_used, usage.interactions_limit)}
      ${drawMeter('brands', 'Brands', usage.brands_used, usage.brands_limit)}
      ${drawMeter('storage', 'Storage of files', storage.used_bytes, storage.limit_bytes, sizeOf)}
      <p class="quiet">
        What programs and assistants do counts too. What each may do is under
        ${may(visitor, 'list_keys') && html`<a href="/dashboard/keys">API keys</a> and`}
        <a href="/dashboard/assistants">Assistants</a>.
      </p>`;
    await send(ctx, visitor, { path: PATH, title: 'Usage', body });
  }

  return Object.freeze([{ path: PATH, GET: visitors.signedIn(show) }]);
}

/** How much of a limit is used; -1 stands for no limit. */
function drawMeter(
  id: string,
  title: string,
  used: number,
  limit: number,
  words: (n: number) => string = String,
): Html {
  const meter = attributes({
    'aria-labelledby': `usage-${id}`,
    min: '0',
    max: String(limit),
    high: String(limit * 0.9),
    value: String(used),
  });
  return html`<div>
    <p id="usage-${id}">
      <strong>${title}:</strong> ${words(used)}${limit === -1 ? ', without a limit' : ` of ${words(limit)}`}
    </p>
    ${limit > 0 && html`<meter ${meter}></meter>`}
  </div>`;
}
