import type { Config } from '#kernel/config/config.ts';
import { ApiError, noSuch } from '#kernel/errors.ts';
import { CAPPED, type Policy, type Preset } from '#kernel/limits/leash.ts';
import { attributes, html, type Html } from '#kernel/text/html.ts';
import type { PathParams, RequestContext, Route } from '#kernel/route.ts';
import { MCP } from '#serve/http/areas.ts';
import { drawCheckbox } from '../../kit/form-fields.ts';
import { sendOn } from '../../kit/html-page.ts';
import {
  drawCapFields,
  drawLeashFields,
  drawPasswordToWiden,
  PRESET_TITLES,
  titleOfPreset,
} from '../../kit/leash-fields.ts';
import { CAP, leashIn, type BrandView } from '../../kit/leash-form.ts';
import { clientsOf, drawClients } from '../../kit/mcp-clients.ts';
import { bodyOf, listedIn } from '../../kit/operate.ts';
import { drawLastUse, drawTime } from '../../kit/times.ts';
import type { Visitor } from '../../sign-in/visitors.ts';
import { isAbout, type Filled, type Frame } from '../frame.ts';
import { drawRowForm } from '../view.ts';
import { slim, type ListedAccount } from './account-fields.ts';

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

const PATH = '/dashboard/assistants';
/** Earlier paths of this page. */
const BEFORE = ['/dashboard/connections', '/dashboard/apps'];
/** How many past decisions the page lists. */
const RECENT = 20;
const PAGE_SIZE = 100;

/** The page of assistants and keys with their pending requests, and the page with the limits of one of them. */
export function makeAssistantsRoutes(frame: Frame, { rootUrl }: Pick<Config, 'rootUrl'>): readonly Route[] {
  const { visitors, may, operate, send, sendLive, list, rowForm } = frame;
  const mcp = `${rootUrl}${MCP}`;
  const clients = clientsOf(mcp);

  async function showAll(ctx: RequestContext, visitor: Visitor): Promise<void> {
    const read = (name: string, input = {}) => operate(ctx, visitor, name, input);
    const mayDecide = may(visitor, 'approve_action');
    /** Actions are shown to people who decide about them. */
    const readActions = async (input: object) => (mayDecide ? listedIn(await read('list_actions', input)) : []);
    // Leaves out what is refused while a payment is due: people can still end connections and deny actions.
    const [connections, held, recent, accounts, brands] = await Promise.all([
      read('list_connections').then(bodyOf<Readonly<{ data: readonly ConnectionView[] }>>),
      readActions({ state: 'held', limit: PAGE_SIZE }),
      readActions({ limit: RECENT }),
      read('list_accounts').then(listedIn<ListedAccount>),
      read('list_brands').then(listedIn),
    ]);
    const first = {
      list_connections: connections,
      held,
      recent,
      accounts: slim(accounts, ['id', 'name', 'platform']),
      brands,
      presets: PRESET_TITLES,
      clients,
      mcp,
    };
    const scriptless = html`${mayDecide && drawWaiting(held.length)}
      <h2>Connected</h2>
      ${drawConnections(connections.data, visitors.field(visitor), visitor.caller.workspace.timezone)}
      <p class="quiet">
        What you end stops at once.
        ${may(visitor, 'create_key') && html`Create new keys under <a href="/dashboard/keys">API keys</a>.`}
      </p>
      <h2>Connect an assistant</h2>
      <p>
        Add this address to an assistant as a remote MCP server, and it asks for your consent here: <code>${mcp}</code>
      </p>
      ${drawClients(clients)}`;
    await sendLive(ctx, visitor, { name: 'assistants', path: PATH, title: 'Assistants', first, scriptless });
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
        ${drawCapFields((act) => filled?.fields.get(`${CAP}${act}`) ?? String(chosen.caps[act]), filled?.refusal)}
        ${connection.waiting > 0 && drawWithdrawn(connection)}
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
    ...BEFORE.map((path): Route => ({ path, GET: (ctx) => sendOn(ctx, PATH) })),
  ]);
}

const drawWaiting = (count: number): Html =>
  html`<p>
    ${count === 0 ? 'Nothing is waiting for you.' : html`<a href="/review">Waiting for you: ${count}</a>`} What was
    decided lately is under <a href="/review">Review</a>.
  </p>`;

function drawSummary(connection: ConnectionView): Html {
  return html`<dl>
    <dt>${connection.kind === 'key' ? 'API key' : 'App'}</dt>
    <dd><bdi>${connection.name}</bdi> <small class="quiet">${connection.host}</small></dd>
    <dt>Today</dt>
    <dd>${usedBy(connection)}</dd>
  </dl>`;
}

const drawWithdrawn = ({ waiting }: ConnectionView): Html =>
  html`<p class="quiet">
    ${waiting === 1 ? 'One request of it waits' : `${waiting} requests of it wait`} for you.
    ${waiting === 1 ? 'It is' : 'They are'} withdrawn if you allow everything in all brands.
  </p>`;

const drawDecides = (checked: boolean): Html =>
  drawCheckbox(
    'decides',
    'yes',
    'It can decide on waiting requests',
    'For a program of your own: it can approve and deny what other connections ask for.',
    checked,
  );

function drawConnections(connections: readonly ConnectionView[], field: Html, zone: string): Html {
  if (connections.length === 0) return html`<p class="quiet">Nothing is connected.</p>`;
  return html`<ul class="rows">
    ${connections.map(
      (one) =>
        html`<li>
          <div>
            <strong><bdi>${one.name}</bdi></strong> <bdi>${one.host}</bdi><br />
            ${titleOfPreset(one.preset)}${one.brand_ids.length > 0 && html`, only some brands`}${
              one.decides && html`, decides on requests`
            }${one.waiting > 0 && html`, <a href="/review">${one.waiting} waiting for you</a>`}<br />
            <small class="quiet">
              Today ${usedBy(one)}; connected ${drawTime(one.connected_at, zone)},
              ${drawLastUse(one.last_used_at, zone)}
            </small>
          </div>
          <a
            ${attributes({ class: 'button small', href: `${PATH}/${one.id}`, 'aria-label': `Edit what ${one.name} may do` })}
            >Edit</a
          >
          ${drawRowForm(`${PATH}/end`, field, 'connection_id', one.id, 'End now', `End now: ${one.name}`)}
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
