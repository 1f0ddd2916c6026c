import type { Context } from 'koa';
import { makeGate, type FaultWords, type Gate, type Passage } from '../../kit/api/gate.ts';
import { hostBelow } from '../../kit/options.ts';
import { readParams, type Params } from '../../kit/api/params.ts';
import { bearerOf } from '../../kit/oauth/secrets.ts';
import { withBareIds } from '../../kit/api/bare-ids.ts';
import {
  badParam,
  deadToken,
  GraphError,
  orderedError,
  PARAM_WORDS,
  trouble,
  unknownObject,
  type OrderedError,
} from './errors.ts';
import { newTrace } from '../ids.ts';
import { throttled, usageHeaders } from './throttle.ts';
import { APP, holds, type Actor } from '../oauth/tokens.ts';
import type { GraphWorld, Method, Methods } from '../world.ts';

export type ServerOptions = Readonly<{
  world: GraphWorld;
  gate: Gate;
  methods: Methods;
  kinds: readonly string[];
  /** Paths that do not begin with a node id; by default those of Facebook. */
  roots?: readonly string[];
  /** The oldest and newest API versions; by default those of Facebook. */
  versions?: readonly [oldest: number, newest: number];
  /** The kind of account in usage headers, in Meta's spelling; by default `pages`. */
  business?: string;
  /** Finds the person that a call without a token concerns. */
  oauth: Readonly<{ aboutWhom(params: Params): string | undefined }>;
  due?(): void;
  /** The area of the simulator that this API serves, if it is not `graph`. */
  area?: string;
}>;

const VERSION = /^v(\d{1,3})\.0$/;
const VERSIONS = Object.freeze([21, 26] as const);
const PRESENT = 25;
const CODE_EXCHANGE = 'oauth/access_token';
const ROOTS = Object.freeze([CODE_EXCHANGE, 'debug_token']);
const LARGEST = 64 * 1024 * 1024;
/** The size limit for a body that is read before the token is known. */
const MAX_UNAUTHENTICATED_BYTES = 16 * 1024;
const COMMON = new Set(
  'access_token appsecret_proof fields limit after before since until summary format locale pretty suppress_http_code debug'.split(
    ' ',
  ),
);

/** The gate of Graph APIs. `own` replaces Graph's errors; `ctx.state.page` is the Page that calls. */
export const graphGate = (
  { slug, options, orders }: Pick<GraphWorld, 'slug' | 'options' | 'orders'>,
  own: Partial<FaultWords<OrderedError>> = {},
): Gate =>
  makeGate<OrderedError>({
    ...options,
    network: slug,
    orders,
    words: {
      throttled: (ctx, { method }) => throttled(ctx, method, String(ctx.state['page'] ?? '')),
      expired: () => deadToken(463),
      trouble,
      ordered: orderedError,
      ...own,
    },
  });

/** Sets the status of errors by their code, unless an error has its own status. */
export const withStatuses =
  (gate: Gate, statusOf: (code: number) => number): Gate =>
  (ctx, call, run) =>
    gate(ctx, call, async (passage) => {
      try {
        await run(passage);
      } catch (error) {
        if (!(error instanceof GraphError) || error.detail.status !== undefined) throw error;
        throw new GraphError(error.number, error.message, { ...error.detail, status: statusOf(error.number) });
      }
    });

/** Finds the token in the parameters or in the header, as Graph does. */
export const tokenOf = (ctx: Context, params: Params | undefined): string | undefined =>
  params?.text('access_token') ?? bearerOf(ctx.get('authorization'), 'Bearer|OAuth');

function makeResolve({ nodes, people }: GraphWorld, kinds: readonly string[], roots: readonly string[]) {
  /** The kind of node an id belongs to. A person's page-scoped id (PSID) is valid only for that Page. */
  function kindOf(id: string, actor: Actor | undefined): string {
    if (id === APP.id) return 'app';
    const kind = nodes.find(id)?.kind;
    if (kind !== undefined && kinds.includes(kind)) return kind;
    if (actor?.kind === 'page' && people.byPsid(actor.claims.page, id) !== undefined) return 'profile';
    if (!/^[\d_]+$|^[mt]_/.test(id))
      throw new GraphError(803, `(#803) Some of the aliases you requested do not exist: ${id.slice(0, 100)}`, {
        status: 404,
      });
    throw unknownObject(id);
  }

  return function resolve(verb: string, path: readonly string[], actor: Actor | undefined) {
    const [first = '', ...edge] = path;
    const whole = path.join('/');
    if (roots.includes(whole)) return { name: `${verb} ${whole}`, id: '' };
    if (path.length === 0) return { name: `${verb} ids`, id: '' };
    const id = first === 'me' ? ownId(actor) : first;
    return { name: [`${verb} ${kindOf(id, actor)}`, ...edge].join('/'), id };
  };
}

function ownId(actor: Actor | undefined): string {
  if (actor === undefined || actor.kind === 'app') return APP.id;
  return actor.kind === 'page' ? actor.claims.page : actor.claims.person;
}

/** Splits the version off the path; throws for an unknown version. */
function versionOf(
  segments: readonly string[],
  [oldest, newest]: NonNullable<ServerOptions['versions']>,
): Readonly<{ version: string; path: readonly string[] }> {
  const [head = '', ...rest] = segments;
  const number = VERSION.exec(head)?.[1];
  if (number === undefined) return { version: `v${Math.min(PRESENT, newest)}.0`, path: segments };
  if (Number(number) < oldest || Number(number) > newest)
    throw new GraphError(2635, `(#2635) You are calling a version of the API that does not exist: ${head}`);
  return { version: head, path: rest };
}

function check({ params: known }: Method, params: Params, { entry }: Passage): void {
  const strange = params.names.filter((name) => !COMMON.has(name) && !known.includes(name));
  if (strange.length > 0)
    entry.violation = `unknown parameters of ${entry.method}: ${strange.join(', ').slice(0, 200)}`;
}

/** Serves an API area. A handler that returns text has already written JSON. */
export function graphServer(
  options: ServerOptions,
): (ctx: Context, segments: readonly string[], host: string) => Promise<void> {
  const { world, gate, methods, oauth, roots = ROOTS, versions = VERSIONS, area = 'graph' } = options;
  const { tokens, clock } = world;
  const graph = hostBelow(world.options.rootUrl, world.slug, area);
  const resolve = makeResolve(world, options.kinds, roots);

  async function read(ctx: Context, segments: readonly string[], { entry }: Passage) {
    if (!['GET', 'POST', 'DELETE'].includes(ctx.method)) throw badParam('Unsupported method');
    const { version, path } = versionOf(segments, versions);
    ctx.set({ 'facebook-api-version': version, 'x-fb-trace-id': newTrace() });
    const early = tokenOf(ctx, undefined) ?? ctx.URL.searchParams.get('access_token') ?? '';
    const isKnown = tokens.claimsOf(early) !== undefined;
    const params = await readParams(ctx, isKnown ? LARGEST : MAX_UNAUTHENTICATED_BYTES, PARAM_WORDS);
    const token = tokenOf(ctx, params);
    const proof = params.text('appsecret_proof');
    const isOpen = path.join('/') === CODE_EXCHANGE;
    // Even an invalid token identifies the person, for faults and the journal.
    entry.person = (token === undefined ? undefined : tokens.claimsOf(token)?.person) ?? oauth.aboutWhom(params);
    const actor = token === undefined || isOpen ? undefined : tokens.actor(token, proof);
    if (actor?.kind === 'page') ctx.state['page'] = actor.claims.page;
    const { name, id } = resolve(ctx.method, path, actor);
    entry.method = name;
    entry.note = id;
    const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
    if (method === undefined) {
      if (path.length > 1)
        throw new GraphError(2500, `Unknown path components: /${path.slice(1).join('/').slice(0, 200)}`);
      throw unknownObject(id, ctx.method.toLowerCase());
    }
    if (actor === undefined && method.open !== true)
      throw new GraphError(104, 'An access token is required to request this resource.');
    return { version, params, proof, actor, method, id };
  }

  return (ctx, segments, host) =>
    gate(ctx, { verb: host, method: `${ctx.method} ${segments.join('/')}` }, async (passage) => {
      const { version, params, proof, actor, method, id } = await read(ctx, segments, passage);
      check(method, params, passage);
      await passage.before();
      // The token may have been revoked while the call waited.
      const caller: Actor = actor === undefined ? { kind: 'app', token: '' } : tokens.actor(actor.token, proof);
      ctx.set(usageHeaders(caller, options.business));
      const frame = {
        actor: caller,
        graph: `${graph()}/${version}`,
        seesPeople: caller.kind === 'page' && holds(caller, 'pages_read_user_content'),
        now: clock.now(),
      };
      options.due?.();
      const answer = await method.run({ verb: ctx.method, params, actor: caller, frame, version }, id);
      world.pushes.kick();
      await passage.after(method.effect ?? ctx.method !== 'GET');
      ctx.status = 200;
      ctx.type = 'application/json';
      ctx.set({ 'Cache-Control': 'private, no-cache, no-store, must-revalidate' });
      const isBare = world.settings.get('numeric_ids');
      ctx.body = typeof answer === 'string' ? answer : JSON.stringify(isBare ? withBareIds(answer) : answer);
    });
}
