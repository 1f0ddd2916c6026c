import { badParam } from './errors.ts';
import { readFields, writeFields, type Args, type Selection } from './fields.ts';
import type { Actor } from '../oauth/tokens.ts';

/** What rendering a response needs: the caller, whose token goes into links, and the base URL. */
export type Frame = Readonly<{ actor: Actor; graph: string; seesPeople: boolean; now: number }>;

/** The fields of a kind of node, and those shown by default. */
export type NodeType<N> = Readonly<{
  name: string;
  id?: (node: N) => string;
  defaultFields: readonly string[];
  fields: Readonly<Record<string, (node: N, at: Readonly<{ frame: Frame; args: Args }>) => unknown>>;
}>;

/** Fields that simply return the member of the same name. */
export const own = <N>(...names: readonly (keyof N & string)[]): NodeType<N>['fields'] =>
  Object.fromEntries(names.map((name) => [name, (node: N) => node[name]]));

/** Fields with a fixed value; one without a value is accepted but left out. */
export const always = (values: Readonly<Record<string, unknown>>): NodeType<unknown>['fields'] =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, () => value]));

/** Nodes with an id, which is always shown; `defaultFields` are the others shown without a request. */
export const lookOf = <N extends Readonly<{ id: string }>>(
  name: string,
  fields: NodeType<N>['fields'],
  defaultFields: readonly string[] = [],
): NodeType<N> => Object.freeze({ name, id: ({ id }: N) => id, defaultFields, fields });

export const bareLook = (name: string): NodeType<string> =>
  Object.freeze({ name, id: (id: string) => id, defaultFields: [], fields: {} });

const NESTED = Symbol('nested');
type Nested = Readonly<{ [NESTED]: (below: Selection | undefined, args: Args, frame: Frame) => unknown }>;

const isNested = (value: unknown): value is Nested => typeof value === 'object' && value !== null && NESTED in value;
const nested = (draw: Nested[typeof NESTED]): Nested => Object.freeze({ [NESTED]: draw });

export const inner = <N>(look: NodeType<N>, node: N): Nested =>
  nested((below, _args, frame) => draw(look, node, below, frame));

export const edge = <N>(
  look: NodeType<N>,
  path: string,
  rows: (args: Args) => readonly N[],
  total?: (args: Args) => object,
) =>
  nested((below, args, frame) => {
    const fields: Record<string, string> = below === undefined ? {} : { fields: writeFields(below) };
    const summary = args['summary'] === 'true' && total !== undefined ? { summary: total(args) } : {};
    return { ...page(look, rows(args), { path, query: { ...fields, ...args }, below, frame }), ...summary };
  });

/** Renders a node with the requested fields, or the default ones; leaves out fields without a value. */
export function draw<N>(look: NodeType<N>, node: N, selection: Selection | undefined, frame: Frame): object {
  const wanted = selection ?? look.defaultFields.map((name) => ({ name, as: name, args: {}, below: undefined }));
  const answer: Record<string, unknown> = {};
  for (const { name, as, args, below } of wanted) {
    if (name === 'id' && look.id !== undefined) continue;
    const read = Object.hasOwn(look.fields, name) ? look.fields[name] : undefined;
    if (read === undefined) throw badParam(`Tried accessing nonexisting field (${name}) on node type (${look.name})`);
    const value = read(node, { frame, args });
    if (value === undefined) continue;
    answer[as] = isNested(value) ? value[NESTED](below, args, frame) : pick(value, below);
  }
  return look.id === undefined ? answer : { ...answer, id: look.id(node) };
}

/** Renders a node for an update to the app, which has no caller and no token. */
export const drawPlain = <N>(look: NodeType<N>, node: N, fields: string): object =>
  draw(look, node, readFields(fields), { actor: { kind: 'app', token: '' }, graph: '', seesPeople: false, now: 0 });

/** Applies a field selection to a plain value. */
function pick(value: unknown, below: Selection | undefined): unknown {
  if (below === undefined || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => pick(one, below));
  const held = value as Record<string, unknown>;
  if (Object.hasOwn(held, 'data')) return { ...held, data: pick(held['data'], below) };
  return Object.fromEntries(
    below.flatMap(({ name, as, below: deeper }) =>
      Object.hasOwn(held, name) ? [[as, pick(held[name], deeper)] as const] : [],
    ),
  );
}

const SIZES = Object.freeze([25, 100] as const);

const encode = (id: string, at: number) => Buffer.from(`${at}.${id}`).toString('base64');
function decode(cursor: string): { id: string; at: number } {
  const [, at, id] = /^(\d+)\.(.+)$/.exec(Buffer.from(cursor, 'base64').toString()) ?? [];
  if (at === undefined || id === undefined) throw badParam('Invalid cursors values: the cursor cannot be read');
  return { at: Number(at), id };
}

export type Paged = Readonly<{
  /** The path of the list, and the call's parameters for links to other pages. */
  path: string;
  query: Readonly<Record<string, string>>;
  below: Selection | undefined;
  frame: Frame;
  sizes?: readonly [usual: number, most: number];
}>;

/** Renders one page of a list. Cursors are always included, `next` only if there are more items. */
export function page<N>(look: NodeType<N>, rows: readonly N[], { path, query, below, frame, sizes }: Paged): object {
  const idOf = (node: N | undefined, at: number) =>
    node === undefined ? '' : encode(look.id === undefined ? 'row' : look.id(node), at);
  const limit = limitOf(query['limit'], sizes);
  const cursorIndex = (cursor: string) => {
    const { id, at } = decode(cursor);
    const now = rows.findIndex((node) => look.id?.(node) === id);
    // The item may have been deleted since; those after it have moved up.
    return now < 0 ? { at: Math.min(at, rows.length), gone: true } : { at: now, gone: false };
  };
  let from = 0;
  let to = limit;
  if (query['after']) {
    const { at, gone } = cursorIndex(query['after']);
    from = gone ? at : at + 1;
    to = from + limit;
  } else if (query['before']) {
    to = cursorIndex(query['before']).at;
    from = Math.max(0, to - limit);
  }
  const view = rows.slice(from, to);
  const data = view.map((node) => draw(look, node, below, frame));
  if (view.length === 0) return { data };
  const cursors = { before: idOf(view[0], from), after: idOf(view.at(-1), from + view.length - 1) };
  const link = (cursor: Record<string, string>) => {
    const { after: _after, before: _before, ...kept } = query;
    const params = new URLSearchParams({ access_token: frame.actor.token, ...kept, limit: String(limit), ...cursor });
    return `${frame.graph}/${path}?${params.toString()}`;
  };
  return {
    data,
    paging: {
      cursors,
      ...(from + view.length < rows.length && { next: link({ after: cursors.after }) }),
      ...(from > 0 && { previous: link({ before: cursors.before }) }),
    },
  };
}

function limitOf(text: string | undefined, [usual, most]: readonly [number, number] = SIZES): number {
  if (text === undefined || text === '') return usual;
  if (!/^\d{1,6}$/.test(text)) throw badParam('Param limit must be an integer');
  return Math.min(Number(text), most);
}

/** Parses the `fields` parameter if there is one. */
export const selectionOf = (text: string | undefined): Selection | undefined =>
  text === undefined || text === '' ? undefined : readFields(text);
