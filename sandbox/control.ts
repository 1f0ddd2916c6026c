import type { Context } from 'koa';
import { z } from 'zod';
import { tableOf } from '#kernel/text/table.ts';
import { perform } from './actions.ts';
import { parseJson, readBody } from './body.ts';
import { LONGEST_DELAY, MOST_TIMES } from './console-view.ts';
import { FAULTS, type Fault, type FaultKind, type Faults } from './faults.ts';
import { PageError } from './forms.ts';
import type { Journal } from './journal.ts';
import type { Twin } from './twin.ts';
import type { Twins } from './twins.ts';

export type ControlWorld = Readonly<{
  twins: Twins;
  faults: Faults;
  journal: Journal;
  setFault(fault: Fault): void;
  reset(): Promise<void>;
}>;

const FaultInput = z.object({
  network: z.string().default('bluesky'),
  person: z.string(),
  kind: z.enum(Object.keys(FAULTS) as [FaultKind, ...FaultKind[]]),
  method: z.string().optional(),
  times: z.int().min(1).max(MOST_TIMES).default(1),
  delay_ms: z.int().min(0).max(LONGEST_DELAY).default(5000),
});
const PersonInput = z.object({
  network: z.string().default('bluesky'),
  handle: z.string().regex(/^[a-z0-9]([a-z0-9-]{0,40}[a-z0-9])?\.sandbox\.test$/),
  display_name: z.string().min(1).max(64).optional(),
});
const ActInput = z.record(z.string(), z.unknown());
const ActionInput = z.looseObject({ network: z.string().default('bluesky'), action: z.string() });
const LARGEST_BODY = 16 * 1024;

/** The JSON control API for tests, which has to be enabled in the options. */
export function makeControl(world: ControlWorld): (ctx: Context, segments: readonly string[]) => Promise<void> {
  const { twins, faults, journal } = world;

  async function twinOf(slug: string): Promise<Twin> {
    const twin = await twins.open(slug);
    if (twin === undefined) throw new PageError(404, 'There is no such network.');
    return twin;
  }

  /** Accepts only JSON, because other websites could send it only after a preflight, which is always refused. */
  async function read<T>(ctx: Context, schema: z.ZodType<T>): Promise<T> {
    if (!ctx.is('application/json')) throw new PageError(415, 'Send JSON.');
    const bytes = await readBody(ctx, LARGEST_BODY);
    if (bytes === undefined) throw new PageError(413, 'This is too long.');
    const parsed = schema.safeParse(parseJson(bytes));
    if (!parsed.success) throw new PageError(400, z.prettifyError(parsed.error));
    return parsed.data;
  }

  const routes: ReadonlyMap<string, (ctx: Context) => unknown> = tableOf({
    'GET people': async ({ query }: Context) => {
      const slugs = query['network'] === undefined ? twins.all.map(({ slug }) => slug) : [String(query['network'])];
      return (await Promise.all(slugs.map(twinOf))).flatMap((twin) => twin.people());
    },
    'POST people': async (ctx: Context) => {
      const { network, handle, display_name } = await read(ctx, PersonInput);
      return (await twinOf(network)).addPerson(handle, display_name ?? handle);
    },
    'GET posts': async ({ query }: Context) => {
      const twin = await twinOf(String(query['network'] ?? 'bluesky'));
      const wanted = query['person'] === undefined ? twin.people().map(({ id }) => id) : [String(query['person'])];
      return wanted.flatMap((person) => twin.posts(person));
    },
    'GET actions': async ({ query }: Context) => {
      const { actions = [] } = await twinOf(String(query['network'] ?? 'bluesky'));
      return actions.map(({ name, label, fields }) => ({
        name,
        label,
        fields: fields.map((field) => ({ ...field, choices: field.choices?.() })),
      }));
    },
    'POST act': async (ctx: Context) => {
      const { network, action, ...input } = await read(ctx, ActionInput);
      return perform(await twinOf(network), action, input);
    },
    'GET requests': ({ query }: Context) =>
      journal.list().filter(({ method }) => query['method'] === undefined || method === query['method']),
    'POST requests/clear': () => journal.clear(),
    'GET faults': () => faults.list(),
    'POST faults': async (ctx: Context) => {
      const { person, ...fault } = await read(ctx, FaultInput);
      const found = (await twinOf(fault.network)).find(person);
      if (found === undefined) throw new PageError(404, 'There is no such person.');
      world.setFault({ ...fault, person: found });
    },
    'POST faults/clear': () => faults.clear(),
    'POST reset': () => world.reset(),
  });

  /** Handles `/<network>/<name>`: GET returns a list, POST runs an action. */
  async function answerTwin(ctx: Context, twin: Twin, name: string): Promise<void> {
    const answer = ctx.method === 'POST' ? await perform(twin, name, await read(ctx, ActInput)) : twin.look?.(name);
    if (answer !== undefined) ctx.body = { data: answer };
  }

  return async function answerControl(ctx, segments) {
    const key = `${ctx.method} ${segments.join('/')}`;
    const route = routes.get(key);
    const twin = segments.length === 2 ? await twins.open(segments[0]) : undefined;
    if (twin !== undefined && (ctx.method === 'GET' || ctx.method === 'POST'))
      return answerTwin(ctx, twin, segments[1]!);
    if (route === undefined) return;
    if (ctx.method === 'POST' && !ctx.is('application/json')) throw new PageError(415, 'Send JSON.');
    ctx.body = { data: (await route(ctx)) ?? null };
  };
}
