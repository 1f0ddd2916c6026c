import { expect, it } from 'vitest';
import type { AnyTool } from '../../../src/call/tool.ts';
import type { Scope } from '../../../src/kernel/scopes.ts';
import { messageOf } from '../../../src/kernel/errors.ts';
import { SCOPES } from '../../../src/kernel/scopes.ts';
import { toolsets } from '../../../tools/index.ts';
import { askBoth, clearing } from './mcp-replay.ts';
import { makeWorld, type World, type Json } from '../world.ts';

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

export type Admission = Readonly<{
  /** Who may call: holders of a scope, unrestricted keys alone, or every key. */
  to: Scope | 'admin' | 'everyone';
  /** What a key limited to brands may do with the scope; admin operations are always refused to it. */
  brandKeys?: 'admitted' | 'refused';
  /** Whether it answers while the subscription is unpaid. */
  pastDue?: 'refused' | 'exempt';
  /** An input that changes nothing, such as ids of nothing. */
  input?: Input;
}>;

/** Tests who may call an operation, through both doors. */
export function describeCallers(name: string, admission: Admission): void {
  it(`${name} is open to whom it is meant for`, async () => {
    const world = await makeWorld();
    const revoked = await revokedKey(world);
    for (const via of DOORS) await expectGoodToken(world, via, name, admission, revoked);
    for (const via of DOORS) await expectRights(world, via, name, admission);
    await block(world);
    for (const via of DOORS) {
      const { status, code } = await callThrough(world, via, name, admission.input);
      if (admission.pastDue === 'exempt') expect(code).not.toBe('billing.past_due');
      else expect([via, status ?? 402, code]).toEqual([via, 402, 'billing.past_due']);
    }
  });
}

async function revokedKey(world: World): Promise<string> {
  const { body } = await world.rest('POST /v1/keys', { name: 'revoked' });
  await world.rest(`DELETE /v1/keys/${body.id}`);
  return body.raw_key;
}

async function expectGoodToken(world: World, via: Via, name: string, { input = {} }: Admission, revoked: string) {
  const sent: readonly (readonly [string | undefined, string])[] = [
    [undefined, 'auth.missing_header'],
    ['Bearer ', 'auth.empty_token'],
    [`Basic ${world.key}`, 'auth.empty_token'],
    [`Bearer ${world.key.slice(0, -1)}`, 'auth.invalid_key'],
    [`Bearer ${revoked}`, 'auth.invalid_key'],
    ['Bearer eyJhbGciOiJub25lIn0.e30.', 'auth.invalid_token'],
  ];
  for (const [authorization, code] of sent) {
    const answer = await bare(world, via, name, input, authorization);
    expect([via, authorization, answer.status, answer.code]).toEqual([via, authorization, 401, code]);
    expect(answer.challenge).toMatch(/^Bearer /);
  }
}

async function expectRights(world: World, via: Via, name: string, { to, brandKeys, input = {} }: Admission) {
  const others = Object.keys(SCOPES).filter((scope) => scope !== to);
  const brand_ids = [world.brandId];
  const admitted = to === 'everyone' || to === 'admin' ? [] : [to];
  const refusedTo = {
    everyone: [],
    admin: [{ scopes: Object.keys(SCOPES) }, { scopes: ['accounts:read'] }, { brand_ids }],
  }[to as string] ?? [
    { scopes: others },
    ...(brandKeys === 'refused' ? [{ brand_ids }, { brand_ids, scopes: admitted }] : []),
  ];
  const openTo = {
    everyone: [{ scopes: ['dms:read'] }, { brand_ids }],
    // Who may is seen where the operation is called in earnest; it may end the very world it is called in.
    admin: [],
  }[to as string] ?? [
    { scopes: admitted },
    ...(brandKeys === 'admitted' ? [{ brand_ids }, { brand_ids, scopes: admitted }] : []),
  ];
  for (const limits of refusedTo) {
    const { status, code, meta } = await callThrough(world, via, name, input, { key: await world.newKey(limits) });
    const told = admitted.length > 0 ? { required_scope: to } : {};
    expect([via, limits, status ?? 403, code, meta]).toEqual([via, limits, 403, 'auth.insufficient_scope', told]);
  }
  for (const limits of openTo) {
    const { code = 'none' } = await callThrough(world, via, name, input, { key: await world.newKey(limits) });
    expect([via, limits, code.startsWith('auth.')]).toEqual([via, limits, false]);
  }
}

/** A call with whatever Authorization header, or none. */
export async function bare(world: World, via: Via, name: string, input: Input, authorization: string | undefined) {
  const headers: Record<string, string> = authorization === undefined ? {} : { Authorization: authorization };
  if (via === 'rest') {
    const { route, body } = requestOf(toolOf(name), input);
    const answer = await world.rest(route, body, { key: null, headers });
    return { status: answer.status, code: answer.body.error?.code, challenge: answer.headers.get('www-authenticate') };
  }
  const response = await fetch(`${world.root}/mcp`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json', Accept: 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } }),
  });
  const answer = (await response.json()) as Json;
  return { status: response.status, code: answer.error?.code, challenge: response.headers.get('www-authenticate') };
}
