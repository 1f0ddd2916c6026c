import { expect } from 'vitest';
import type { AnyTool } from '#call/tool.ts';
import { messageOf } from '#kernel/errors.ts';
import { answerFor } from '#serve/mcp/answers/lean.ts';
import { toolsets } from '#tools/index.ts';
import { askBoth, clearing } from './mcp-replay.ts';
import { postTool } from './requests.ts';
import type { World, Json } from '../world.ts';

export type Via = 'rest' | 'mcp';

/** The two ways to every operation. */
export const DOORS: readonly Via[] = ['rest', 'mcp'];

type Input = Readonly<Record<string, unknown>>;
export type Reply = Readonly<{
  ok: boolean;
  /** Of REST alone; MCP has no place for it. */
  status: number | undefined;
  /** The code of the error. */
  code: string | undefined;
  /** The field or thing the error is about, and whatever else it tells. */
  meta: Json;
  body: Json;
}>;

export const TOOLS: readonly AnyTool[] = toolsets.flatMap(({ tools }) => tools);

/** The operation of a name. */
export function toolOf(name: string): AnyTool {
  return TOOLS.find((tool) => tool.name === name)!;
}

type Options = Readonly<{ key?: string; headers?: Record<string, string> }>;

/** Calls an operation over REST, with one flat input whose parts go where the route has them; MCP must answer the same. */
export async function call(world: World, name: string, input: Input = {}, options: Options = {}): Promise<Reply> {
  const { key = world.key } = options;
  const tool = toolOf(name);
  return replyOf(await askBoth(world, tool, input, key, (headers) => askRest(world, tool, input, options, headers)));
}

/** Calls an operation through one door alone. */
export async function callThrough(
  world: World,
  via: Via,
  name: string,
  input: Input = {},
  options: Options = {},
): Promise<Reply> {
  if (via === 'rest') return replyOf(await askRest(world, toolOf(name), input, options));
  const { isError, body } = await world.mcp(name, name === 'update_post' ? clearing(input) : input, options);
  return { ...replyOf({ status: isError ? 400 : 200, body }), status: undefined };
}

export const callMcp = (world: World, name: string, input: Input = {}, options: Options = {}): Promise<Reply> =>
  callThrough(world, 'mcp', name, input, options);

/** What REST answers, as it is for assistants who ask for all of it. */
export const forAssistants = (name: string, body: Json): Json => answerFor(toolOf(name), { detail: 'full' }, body);

function askRest(world: World, tool: AnyTool, input: Input, options: Options, headers: Options['headers'] = {}) {
  const { route, body } = requestOf(tool, input);
  return world.rest(route, body, { ...options, headers: { ...headers, ...options.headers } });
}

function replyOf({ status, body }: Readonly<{ status: number; body: Json }>): Reply {
  const ok = status < 400;
  const { code, meta = {} } = ok ? {} : body.error;
  return { ok, status, code, meta, body };
}

/** Expects a refusal, with the field or thing it is about where one is given. */
export async function expectRefusal(answer: Promise<Reply>, code: string, meta: Input = {}): Promise<void> {
  const { body, ...said } = await answer;
  expect(said).toMatchObject({ ok: false, code, meta });
  // What there is none of is named.
  expect(body.error.message).not.toBe(messageOf('resource.not_found'));
}

export const INVALID = 'validation.field_invalid';
export const REQUIRED = 'validation.field_required';

/** Expects the refusal of a field that is wrong. */
export const expectInvalid = (answer: Promise<Reply>, field: string) => expectRefusal(answer, INVALID, { field });

/** Expects the refusal of an input that lacks a field. */
export const expectRequired = (answer: Promise<Reply>, field: string) => expectRefusal(answer, REQUIRED, { field });

/** The request that carries an input: path, then query or body. */
export function requestOf({ http, body: kind }: AnyTool, input: Input) {
  const rest = { ...input };
  const path = http.path.replaceAll(/\{(\w+)\}/g, (_, field: string) => {
    const value = String(rest[field]);
    delete rest[field];
    return encodeURIComponent(value);
  });
  const inQuery = http.method === 'GET' || http.method === 'DELETE';
  const query = inQuery
    ? new URLSearchParams(
        Object.entries(rest).map(([field, value]): [string, string] => [field, String(value)]),
      ).toString()
    : '';
  const route: `${string} /${string}` = `${http.method} /v1${path}${query && `?${query}`}`;
  if (inQuery) return { route, body: undefined };
  return { route, body: kind === 'multipart' ? formOf(rest) : Object.keys(rest).length > 0 ? rest : undefined };
}

/** What MCP sends as base64, a form sends as a file. */
function formOf({ base64, filename, ...fields }: Input): FormData {
  const form = new FormData();
  for (const [field, value] of Object.entries(fields)) form.set(field, String(value));
  if (typeof base64 === 'string')
    form.set('file', new Blob([Buffer.from(base64, 'base64')]), typeof filename === 'string' ? filename : 'file');
  return form;
}

/** A list that came whole. */
export function wholeList(count: number, data: readonly unknown[], limit = Math.max(1, data.length)) {
  return { count, data, pagination: { has_more: false, next_cursor: '', limit }, next_cursor: '' };
}

/** A list that is whole unless a part of it is asked for: pages hold every row once, and cursors are of this list. */
export async function expectPages(world: World, name: string, ids: readonly string[], field = 'id'): Promise<void> {
  const page = async (input: Input) => (await call(world, name, input)).body;
  const first = await page({ limit: 1 });
  expect(first).toMatchObject({ count: ids.length, pagination: { has_more: true, limit: 1 } });
  expect(first.pagination.next_cursor).toBe(first.next_cursor);
  const rest = await page({ cursor: first.next_cursor });
  expect(rest).toMatchObject({ count: ids.length, pagination: { has_more: false, next_cursor: '' }, next_cursor: '' });
  expect([...first.data, ...rest.data].map((row: Json) => row[field])).toEqual(ids);
  expect((await page({ limit: 500 })).pagination.limit).toBe(100);

  const cursor: string = first.next_cursor;
  const [sealed] = cursor.split('.') as [string];
  const forged = Buffer.from(Buffer.from(sealed, 'base64url').toString().replace(/,\d+,/, ',7,')).toString('base64url');
  const foreign = name === 'list_brands' ? 'list_accounts' : 'list_brands';
  const refused: readonly (readonly [string, Input, string])[] = [
    [name, { cursor: 'nonsense' }, 'cursor'],
    [name, { cursor: sealed }, 'cursor'],
    [name, { cursor: `${forged}.${cursor.split('.')[1]}` }, 'cursor'],
    [name, { cursor: `${sealed}.${'A'.repeat(22)}` }, 'cursor'],
    [foreign, { cursor }, 'cursor'],
    [name, { limit: 0 }, 'limit'],
    [name, { limit: -1 }, 'limit'],
    [name, { limit: 'many' }, 'limit'],
  ];
  for (const [list, input, at] of refused) {
    const { code, meta } = await call(world, list, input);
    expect([list, input, code, meta.field]).toEqual([list, input, 'validation.field_invalid', at]);
  }
}

/** Leaves the subscription of the owner unpaid. */
export async function block(world: World): Promise<void> {
  const blocked_at = world.clock.now();
  await world.product.store.write(({ db }) =>
    db.updateTable('workspaces').set({ blocked_at }).where('id', '=', world.workspaceId).execute(),
  );
  world.product.callers.forget();
}

/** Puts the owner's workspace on the Free plan. */
export async function onFreePlan(world: World): Promise<void> {
  await world.product.store.write(({ db }) =>
    db.updateTable('workspaces').set({ plan: 'free' }).where('id', '=', world.workspaceId).execute(),
  );
  world.product.callers.forget();
}

/** Says how much of its interactions the owner's workspace has used in the running period. */
export async function useInteractions(
  { product, workspaceId: workspace_id }: World,
  interactions: number,
): Promise<void> {
  await product.store.write(async ({ db }) => {
    const workspaces = db.selectFrom('workspaces').where('id', '=', workspace_id);
    const { created_at: period_start } = await workspaces.select('created_at').executeTakeFirstOrThrow();
    await db.deleteFrom('usage').where('workspace_id', '=', workspace_id).execute();
    const row = { workspace_id, period_start, posts: 0, interactions, exports: 0 };
    await db.insertInto('usage').values(row).execute();
  });
}

/** Makes a further brand of the owner; answers its id. */
export async function newBrand(world: World, name = 'Other', key = world.key): Promise<string> {
  return (await world.rest('POST /v1/brands', { name }, { key })).body.id;
}

/** A call with whatever Authorization header, or none. */
export async function bare(world: World, via: Via, name: string, input: Input, authorization: string | undefined) {
  const headers: Record<string, string> = authorization === undefined ? {} : { Authorization: authorization };
  if (via === 'rest') {
    const { route, body } = requestOf(toolOf(name), input);
    const answer = await world.rest(route, body, { key: null, headers });
    return { status: answer.status, code: answer.body.error?.code, challenge: answer.headers.get('www-authenticate') };
  }
  const response = await postTool(world.root, headers, name, input);
  const answer = (await response.json()) as Json;
  return { status: response.status, code: answer.error?.code, challenge: response.headers.get('www-authenticate') };
}
