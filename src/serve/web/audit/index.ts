import { ACTS } from '#kernel/acts.ts';
import { html } from '#kernel/text/html.ts';
import { daysAfter, startOfDay } from '#kernel/text/local-time.ts';
import type { RequestContext, Route } from '#kernel/route.ts';
import type { Frame } from '../dashboard/frame.ts';
import { listedIn } from '../kit/operate.ts';
import type { Visitor } from '../sign-in/visitors.ts';
import { drawAudit, drawFilters, type AuditView, type ConnectionChoice } from './view.ts';

const PATH = '/dashboard/audit';
const DAY = /^\d{4}-\d\d-\d\d$/;

/** The page that lists what apps and limited keys did or tried, what people did and decided, and who signed in. */
export function makeAuditRoutes({ operate, send, list, forThose }: Frame): readonly Route[] {
  async function show(ctx: RequestContext, visitor: Visitor): Promise<void> {
    const fields = new URLSearchParams(ctx.querystring);
    const { timezone } = visitor.caller.workspace;
    const chosen = (name: string) => fields.get(name)?.trim() || undefined;
    const input = {
      connection_id: chosen('connection_id'),
      act: chosen('act'),
      verdict: chosen('verdict'),
      tool: chosen('tool'),
      since: dayStart(timezone, chosen('since')),
      until: dayStart(timezone, chosen('until'), 1),
      cursor: chosen('cursor'),
    };
    const [listed, connections] = await Promise.all([
      operate(ctx, visitor, 'list_audit', input),
      list<ConnectionChoice>(ctx, visitor, 'list_connections'),
    ]);
    const { refusal } = listed;
    const next = refusal ? '' : (listed.body as { next_cursor: string }).next_cursor;
    const filters = { connections, acts: Object.keys(ACTS), fields };
    const rows = refusal ? undefined : drawAudit(listedIn<AuditView>(listed), timezone, olderOf(fields, next));
    const body = html`${drawFilters(PATH, filters)} ${rows}`;
    await send(ctx, visitor, { path: PATH, title: 'Audit', body }, refusal && { refusal, fields });
  }

  return Object.freeze([{ path: PATH, GET: forThose('list_audit', show) }]);
}

/** The address of the next page, with the same filters. */
function olderOf(fields: URLSearchParams, cursor: string): string | undefined {
  if (cursor === '') return undefined;
  const query = new URLSearchParams(fields);
  query.set('cursor', cursor);
  return `${PATH}?${query.toString()}`;
}

/** The start of a day, or of the day `later` days after it, in the workspace's timezone. Invalid days stay as given. */
function dayStart(timezone: string, day: string | undefined, later = 0): string | undefined {
  if (day === undefined || !DAY.test(day) || Number.isNaN(Date.parse(day))) return day;
  return new Date(startOfDay(timezone, daysAfter(day, later))).toISOString();
}
