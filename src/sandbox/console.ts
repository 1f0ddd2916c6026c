import type { Context } from 'koa';
import { drawAction, perform } from './actions.ts';
import { FAULTS, isFaultKind } from './faults.ts';
import type { Fault, Faults } from './faults.ts';
import { PageError } from './forms.ts';
import type { Forms } from './forms.ts';
import { html, page } from './html.ts';
import type { Html } from './html.ts';
import type { Journal, JournalEntry } from './journal.ts';
import type { SandboxPerson, Twin } from './twin.ts';

export type ConsoleWorld = Readonly<{
  twins: readonly Twin[];
  faults: Faults;
  journal: Journal;
  forms: Forms;
  setFault(fault: Fault): void;
}>;

/** Bounds of what a person or a test may ask a fault to do. */
export const MOST_TIMES = 1000;
export const LONGEST_DELAY = 10 * 60_000;

const DEFAULT_DELAY = 5000;
const SHOWN_REQUESTS = 30;
const SHOWN_POSTS = 10;
const SHOWN_CONVERSATIONS = 5;

const drawPerson = (person: SandboxPerson): Html =>
  html`<tr>
    <td>
      <a href="/sandbox/${person.network}/profile/${encodeURIComponent(person.handle)}">${person.handle}</a><br /><small
        >${person.display_name}</small
      >
    </td>
    <td>
      ${Object.entries(person.credentials).map(([name, value]) => html`<small>${name.replaceAll('_', ' ')}</small> <code>${value}</code><br />`)}
    </td>
    <td>${person.posts}</td>
    <td>${person.commits}</td>
  </tr>`;

const drawRequest = ({
  at,
  network,
  verb,
  method,
  person,
  note,
  fault,
  status,
  error,
  violation,
}: JournalEntry): Html =>
  html`<tr>
    <td><small>${at}</small></td>
    <td>${network}</td>
    <td><code>${verb} ${method}</code> <small>${note}</small></td>
    <td><small>${person}</small></td>
    <td>${status ?? 'no answer'} ${error} ${fault && html`<strong>${fault}</strong>`} <small>${violation}</small></td>
  </tr>`;

function drawFaultForm(twin: Twin, token: Html): Html {
  const option = (value: string, label: string) => html`<option value="${value}">${label}</option>`;
  return html`<form method="post" action="/sandbox/faults">
    ${token}<input type="hidden" name="network" value="${twin.slug}" />
    <label
      >Person
      <select name="person">
        ${twin.people().map(({ id, handle }) => option(id, handle))}
      </select></label
    >
    <label
      >What goes wrong
      <select name="kind">
        ${Object.entries(FAULTS).map(([kind, says]) => option(kind, says))}
      </select></label
    >
    <label
      >At
      <select name="method">
        ${option('', 'any call')}${twin.methods.map((name) => option(name, name))}
      </select></label
    >
    <label>Times <input type="number" name="times" value="1" min="1" max="${MOST_TIMES}" /></label>
    <label
      >Delay, ms <input type="number" name="delay_ms" value="${DEFAULT_DELAY}" min="0" max="${LONGEST_DELAY}"
    /></label>
    <button>Switch on</button>
  </form>`;
}

function drawTwin(twin: Twin, faults: Faults, token: Html): Html {
  const waiting = faults.list().filter(({ network }) => network === twin.slug);
  const posts = twin.latest(SHOWN_POSTS);
  const conversations = twin.conversations?.(SHOWN_CONVERSATIONS) ?? [];
  const handles = new Map(twin.people().map(({ id, handle }) => [id, handle]));
  return html`<section>
    <h2>${twin.title}</h2>
    ${twin.home && html`<p><a href="${twin.home}">Play the people of this network</a></p>`}
    <div class="wide">
      <table>
        <tr>
          <th>Person</th>
          <th>Log-in</th>
          <th>Posts</th>
          <th>Commits</th>
        </tr>
        ${twin.people().map(drawPerson)}
      </table>
    </div>
    <h3>Faults</h3>
    ${drawFaultForm(twin, token)}
    <ul>
      ${waiting.map(({ person, kind, method, times }) => html`<li>${handles.get(person) ?? person}: ${FAULTS[kind]}, ${method ?? 'any call'}, ${times} left</li>`)}
    </ul>
    ${waiting.length > 0 && html`<form method="post" action="/sandbox/faults/clear">${token}<button>Switch all off</button></form>`}
    ${twin.actions && html`<h3>Play a follower</h3>`}${twin.actions?.map((action) => drawAction(twin, action, token))}
    <h3>Latest posts</h3>
    ${posts.length > 0 ? posts : html`<p class="quiet">Nothing posted yet.</p>`}
    ${conversations.length > 0 && html`<h3>Conversations</h3>`}${conversations}
  </section>`;
}

const bounded = (text: string | null, least: number, most: number, or: number): number => {
  const value = text === null || text === '' ? or : Number(text);
  if (!Number.isInteger(value) || value < least || value > most)
    throw new PageError(400, `A number must be from ${least} to ${most}.`);
  return value;
};

/** The page where a person sees both sides of the sandbox and breaks it on purpose. */
export function makeConsole(world: ConsoleWorld): (ctx: Context, segments: readonly string[]) => Promise<void> {
  const { twins, faults, journal, forms } = world;

  function show(ctx: Context): void {
    const token = forms.field(ctx);
    const requests = journal.list().slice(-SHOWN_REQUESTS).toReversed();
    ctx.type = 'html';
    ctx.set('Cache-Control', 'no-store');
    ctx.body = page(
      'Sandbox',
      html`<h1>Sandbox</h1>
        <p>These people exist only here. Connect an account with a handle and an app password from the table.</p>
        ${twins.map((twin) => drawTwin(twin, faults, token))}
        <section>
          <h2>Newest requests</h2>
          <div class="wide">
            <table>
              <tr>
                <th>Time</th>
                <th>Network</th>
                <th>Call</th>
                <th>Person</th>
                <th>Answer</th>
              </tr>
              ${requests.map(drawRequest)}
            </table>
          </div>
        </section>`,
    );
  }

  async function switchOn(ctx: Context): Promise<void> {
    const fields = await forms.read(ctx);
    const twin = twins.find(({ slug }) => slug === fields.get('network'));
    const person = twin?.find(fields.get('person') ?? '');
    const kind = fields.get('kind');
    const method = fields.get('method') || undefined;
    if (twin === undefined || person === undefined) throw new PageError(400, 'There is no such person.');
    if (!isFaultKind(kind)) throw new PageError(400, 'There is no such fault.');
    if (method !== undefined && !twin.methods.includes(method)) throw new PageError(400, 'There is no such call.');
    const times = bounded(fields.get('times'), 1, MOST_TIMES, 1);
    const delay_ms = bounded(fields.get('delay_ms'), 0, LONGEST_DELAY, DEFAULT_DELAY);
    world.setFault({ network: twin.slug, person, kind, method, times, delay_ms });
  }

  async function act(ctx: Context): Promise<void> {
    const { network, action, form_token: _, ...input } = Object.fromEntries(await forms.read(ctx));
    const twin = twins.find(({ slug }) => slug === network);
    if (twin === undefined) throw new PageError(400, 'There is no such network.');
    await perform(twin, action ?? '', input);
  }

  const posts: Readonly<Record<string, (ctx: Context) => Promise<void>>> = Object.freeze({
    faults: switchOn,
    'faults/clear': async (ctx: Context) => {
      await forms.read(ctx);
      faults.clear();
    },
    act,
  });

  return async function answerConsole(ctx, segments) {
    const path = segments.join('/');
    if (path === '' && (ctx.method === 'GET' || ctx.method === 'HEAD')) show(ctx);
    else if (ctx.method === 'POST' && Object.hasOwn(posts, path)) {
      await posts[path]?.(ctx);
      ctx.redirect('/sandbox');
      ctx.status = 303;
    } else if (path === '' || Object.hasOwn(posts, path)) ctx.status = 405;
  };
}
