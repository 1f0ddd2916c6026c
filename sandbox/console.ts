import type { Context } from 'koa';
import { tableOf } from '#kernel/text/table.ts';
import { perform } from './actions.ts';
import {
  DEFAULT_DELAY,
  drawNetwork,
  drawOverview,
  LONGEST_DELAY,
  MOST_TIMES,
  navLinksOf,
  type Scene,
} from './console-view.ts';
import { isFaultKind, type Fault, type Faults } from './faults.ts';
import { PageError, type Forms } from './forms.ts';
import { HOME, page, navLinkOf } from './html.ts';
import type { Journal } from './journal.ts';
import type { Twin } from './twin.ts';
import type { Twins } from './twins.ts';

export type ConsoleWorld = Readonly<{
  twins: Twins;
  faults: Faults;
  journal: Journal;
  forms: Forms;
  setFault(fault: Fault): void;
}>;

const bounded = (text: string | null, least: number, most: number, or: number): number => {
  const value = text === null || text === '' ? or : Number(text);
  if (!Number.isInteger(value) || value < least || value > most)
    throw new PageError(400, `A number must be from ${least} to ${most}.`);
  return value;
};

/** What to say after a form, by the word in the URL. */
const CONSOLE_ACTIONS: ReadonlyMap<string, string> = new Map([
  ['fault', 'the fault is set'],
  ['clear', 'all faults are off'],
]);

/** The console, where an operator watches both sides, plays people and causes faults. */
export function makeConsole(world: ConsoleWorld): (ctx: Context, segments: readonly string[]) => Promise<void> {
  const { twins, faults, journal, forms } = world;

  function show(ctx: Context, twin: Twin | undefined): void {
    const scene: Scene = { twins, faults: faults.list(), requests: journal.list(), token: forms.field(ctx) };
    const done = ctx.URL.searchParams.get('done') ?? '';
    const action = CONSOLE_ACTIONS.get(done) ?? twin?.actions?.find(({ name }) => name === done)?.label;
    const { path, title } = twin === undefined ? HOME : navLinkOf(twin.slug, twin.title);
    ctx.type = 'html';
    ctx.set('Cache-Control', 'no-store');
    const body = twin === undefined ? drawOverview(scene) : drawNetwork(twin, scene, action);
    ctx.body = page(title, body, navLinksOf(twins.all), path);
  }

  async function switchOn(twin: Twin, fields: URLSearchParams): Promise<string> {
    const person = twin.find(fields.get('person') ?? '');
    const kind = fields.get('kind');
    const method = fields.get('method') || undefined;
    if (person === undefined) throw new PageError(400, 'There is no such person.');
    if (!isFaultKind(kind)) throw new PageError(400, 'There is no such fault.');
    if (method !== undefined && !twin.methods.includes(method)) throw new PageError(400, 'There is no such request.');
    const times = bounded(fields.get('times'), 1, MOST_TIMES, 1);
    const delay_ms = bounded(fields.get('delay_ms'), 0, LONGEST_DELAY, DEFAULT_DELAY);
    world.setFault({ network: twin.slug, person, kind, method, times, delay_ms });
    return 'fault';
  }

  async function act(twin: Twin, fields: URLSearchParams): Promise<string> {
    const { network: _, action: name = '', form_token: __, ...input } = Object.fromEntries(fields);
    // Some actions are hidden in the console; only programs can call them.
    if (twin.actions?.some((action) => action.name === name) !== true)
      throw new PageError(404, 'There is no such action.');
    await perform(twin, name, input);
    return name;
  }

  /** What the forms do. Each returns the word for the URL. */
  const actions: ReadonlyMap<string, (twin: Twin, fields: URLSearchParams) => Promise<string>> = tableOf({
    faults: switchOn,
    'faults/clear': async ({ slug }) => {
      faults.clear(slug);
      return 'clear';
    },
    act,
  });

  return async function answerConsole(ctx, segments) {
    const path = segments.join('/');
    const twin = await twins.open(path);
    const action = actions.get(path);
    if (path !== '' && twin === undefined && action === undefined) return;
    if (action === undefined && (ctx.method === 'GET' || ctx.method === 'HEAD')) show(ctx, twin);
    else if (action !== undefined && ctx.method === 'POST') {
      const fields = await forms.read(ctx);
      const network = await twins.open(fields.get('network'));
      if (network === undefined) throw new PageError(400, 'There is no such network.');
      const done = await action(network, fields);
      ctx.redirect(`${navLinkOf(network.slug, network.title).path}?done=${encodeURIComponent(done)}`);
      ctx.status = 303;
    } else ctx.status = 405;
  };
}
