import type { Config } from '#kernel/config/config.ts';
import { ApiError, noSuch } from '#kernel/errors.ts';
import { CAPPED, type Policy, type Preset } from '#kernel/limits/leash.ts';
import { attributes, html, type Html } from '#kernel/text/html.ts';
import type { PathParams, RequestContext, Route } from '#kernel/route.ts';
import { MCP } from '../../http/areas.ts';
import { drawCheckbox } from '../kit/form-fields.ts';
import { sendOn } from '../kit/html-page.ts';
import { drawLeashFields, drawPasswordToWiden, leashIn, titleOfPreset, type BrandView } from '../kit/leash-fields.ts';
import { drawTime } from '../kit/times.ts';
import type { Visitor } from '../sign-in/visitors.ts';
import { isAbout, type Filled, type Frame } from './frame.ts';
import { drawRowForm } from './view.ts';

type ConnectionView = Readonly<{
  id: string;
  kind: 'oauth' | 'key';
  name: string;
  host: string;
  preset: Preset;
  brand_ids: readonly string[];
  caps: Policy['caps'];
  decides: boolean;
  used_today: Policy['caps'];
  waiting: number;
  connected_at: string;
  last_used_at: string | null;
}>;

const PATH = '/dashboard/connections';
const BEFORE = '/dashboard/apps';

/** The page of what may act in the workspace, and that of the leash of one. */
export function makeConnectionsRoutes(frame: Frame, { rootUrl }: Pick<Config, 'rootUrl'>): readonly Route[] {
  const { visitors, operate, send, list, rowForm } = frame;

  async function showAll(ctx: RequestContext, visitor: Visitor): Promise<void> {
    const all = await list<ConnectionView>(ctx, visitor, 'list_connections');
    const body = html`<p>Apps, assistants and programs that act for you, and what each may do by itself.</p>
      <p>
        Add this address to an assistant as a remote MCP server, and it asks for your consent here:
        <code>${rootUrl}${MCP}</code>
      </p>
      ${drawConnections(all, visitors.field(visitor))}
      <p class="quiet">What you end stops at once. New keys are made under <a href="/dashboard/keys">API keys</a>.</p>`;
    await send(ctx, visitor, { path: PATH, title: 'Connections', body });
  }

  async function read(ctx: RequestContext, visitor: Visitor, id: string) {
    const [all, brands] = await Promise.all([
      list<ConnectionView>(ctx, visitor, 'list_connections'),
      list<BrandView>(ctx, visitor, 'list_brands'),
    ]);
    return { connection: all.find((one) => one.id === id) ?? noSuch('connection', id), brands };
  }

  async function showOne(ctx: RequestContext, visitor: Visitor, parts: PathParams, filled?: Filled): Promise<void> {
    const { connection, brands } = await read(ctx, visitor, parts['id']!);
    const entered = filled && leashIn(filled.fields, brands, connection);
    const chosen = entered === undefined || entered instanceof ApiError ? connection : entered;
    const body = html`${drawSummary(connection)}
      <form ${attributes({ method: 'post', action: `${PATH}/${connection.id}` })}>
        ${visitors.field(visitor)} ${drawLeashFields(brands, chosen)}
        ${connection.kind === 'key' && drawDecides(filled?.fields.has('decides') ?? connection.decides)}
        ${drawPasswordToWiden(isAbout(filled, 'password'))}
        <div class="actions">
          <button class="primary">Save</button>
          <a class="button" href="${PATH}">Back</a>
        </div>
      </form>`;
    await send(ctx, visitor, { path: PATH, title: 'What it may do', body }, filled);
  }

  async function save(ctx: RequestContext, visitor: Visitor, parts: PathParams): Promise<void> {
    const fields = await visitors.read(ctx, visitor);
    const { connection, brands } = await read(ctx, visitor, parts['id']!);
    const { id } = connection;
    const policy = leashIn(fields, brands, connection);
    if (policy instanceof ApiError) return showOne(ctx, visitor, parts, { refusal: policy, fields });
    const leash = {
      preset: policy.preset,
      brand_ids: policy.brand_ids ?? [],
      caps: policy.caps,
      ...(connection.kind === 'key' && { decides: fields.has('decides') }),
      password: fields.get('password') ?? '',
    };
    const { refusal } = await operate(ctx, visitor, 'set_leash', { connection_id: id, ...leash });
    if (refusal) return showOne(ctx, visitor, parts, { refusal, fields });
    sendOn(ctx, PATH);
  }

  return Object.freeze([
    { path: PATH, GET: visitors.signedIn(showAll) },
    rowForm({ path: `${PATH}/end`, back: PATH, operation: 'end_connection', field: 'connection_id' }),
    {
      path: `${PATH}/{id}`,
      GET: visitors.signedIn((ctx, visitor, parts) => showOne(ctx, visitor, parts)),
      POST: visitors.signedIn(save),
    },
    { path: BEFORE, GET: (ctx) => sendOn(ctx, PATH) },
  ]);
}

function drawSummary(connection: ConnectionView): Html {
  return html`<dl>
    <dt>${connection.kind === 'key' ? 'API key' : 'App'}</dt>
    <dd><bdi>${connection.name}</bdi> <small class="quiet">${connection.host}</small></dd>
    <dt>Today</dt>
    <dd>${usedBy(connection)}</dd>
  </dl>`;
}

const drawDecides = (checked: boolean): Html =>
  drawCheckbox(
    'decides',
    'yes',
    'It decides about held actions',
    'For a program of your own: it can approve and deny what other connections ask for.',
    checked,
  );

function drawConnections(connections: readonly ConnectionView[], field: Html): Html {
  if (connections.length === 0) return html`<p class="quiet">Nothing is connected.</p>`;
  return html`<ul class="rows">
    ${connections.map(
      (one) =>
        html`<li>
          <div>
            <strong><bdi>${one.name}</bdi></strong> <bdi>${one.host}</bdi><br />
            ${titleOfPreset(one.preset)}${one.brand_ids.length > 0 && html`, only some brands`}${
              one.decides && html`, decides about held actions`
            }${one.waiting > 0 && html`, <a href="/review">${one.waiting} waiting for you</a>`}<br />
            <small class="quiet">
              Today ${usedBy(one)}; connected ${drawTime(one.connected_at)}, last used ${drawTime(one.last_used_at)}
            </small>
          </div>
          <a
            ${attributes({ class: 'button small', href: `${PATH}/${one.id}`, 'aria-label': `Edit what ${one.name} may do` })}
            >Edit</a
          >
          ${drawRowForm(`${PATH}/end`, field, 'connection_id', one.id, 'End now', `End ${one.name} now`)}
        </li>`,
    )}
  </ul>`;
}

function usedBy({ used_today, caps, preset }: ConnectionView): string {
  const isCounted = preset === 'answer';
  const parts = CAPPED.map((act) => `${used_today[act]}${isCounted ? ` of ${caps[act]}` : ''} ${NAMES[act]}`);
  return parts.join(', ');
}

const NAMES = Object.freeze({ message: 'messages', comment: 'comments', moderate: 'likes and hides' } as const);
