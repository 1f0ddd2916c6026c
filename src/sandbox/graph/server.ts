/** The one path of a Graph call: read it, know the caller, apply faults, run, answer. */
import type { Context } from 'koa';
import { wireTime } from '../../kernel/clock.ts';
import type { FaultKind, Faults } from '../faults.ts';
import type { Journal, JournalEntry } from '../journal.ts';
import { badParam, deadToken, envelope, GraphError, trouble, unknownObject } from './errors.ts';
import { newTrace } from './ids.ts';
import { readParams } from './params.ts';
import type { Params } from './params.ts';
import type { Forced } from '../kit/settings.ts';
import { throttled, usageHeaders } from './throttle.ts';
import { APP, holds } from './tokens.ts';
import type { Actor } from './tokens.ts';
import type { Method, Methods, NodeKind, World } from '../facebook/world.ts';

export type ServerOptions = Readonly<{
  world: World;
  methods: Methods;
  /** Whom a call without a token is about. */
  aboutWhom(params: Params): string | undefined;
  /** Publishes what is due. */
  due(): void;
  faults: Faults;
  journal: Journal;
  wait(ms: number): Promise<boolean>;
  complain(error: unknown, what: string): void;
  graph(): string;
}>;

const VERSION = /^v(\d{1,3})\.0$/;
const OLDEST = 21;
const NEWEST = 26;
const PRESENT = 'v25.0';
const ROOTS = new Set(['oauth/access_token', 'debug_token']);
/** Parameters every call may carry. */
const COMMON = new Set(
  'access_token appsecret_proof fields limit after before since until summary format locale pretty suppress_http_code debug'.split(
    ' ',
  ),
);

/** Thrown when the answer must not reach the caller, whatever became of the effect. */
export class AnswerLost extends Error {}

export type Gate = Readonly<{
  entry: JournalEntry;
  fault(kind: FaultKind): { delay_ms: number } | undefined;
  before(): Promise<void>;
  after(effect: boolean): Promise<void>;
}>;

/** Faults and ordered answers around one call, the same for every host of the twin. */
export function makeGate(
  { world, faults, wait }: Pick<ServerOptions, 'world' | 'faults' | 'wait'>,
  entry: JournalEntry,
  ctx: Context,
  /** The Page that calls; empty when it is no Page. */
  page: string,
): Gate {
  const method = entry.method;
  function fault(kind: FaultKind) {
    const taken = faults.take({ network: 'facebook', person: entry.person, method, kind });
    if (taken !== undefined) entry.fault = entry.fault === undefined ? kind : `${entry.fault}, ${kind}`;
    return taken;
  }
  function ordered(when: Forced['when']): void {
    const forced = world.settings.take(method, when);
    if (forced === undefined) return;
    entry.fault = `${entry.fault === undefined ? '' : `${entry.fault}, `}ordered ${when}`;
    const { status, code, subcode, is_transient, message } = forced;
    throw new GraphError(code, message, {
      status,
      ...(subcode !== undefined && { subcode }),
      ...(is_transient !== undefined && { is_transient }),
    });
  }

  return Object.freeze({
    entry,
    fault,
    async before() {
      if (fault('throttled') !== undefined) throw throttled(ctx, method, page);
      if (fault('expired') !== undefined) throw deadToken(463);
      ordered('before');
      const late = fault('late');
      if (late !== undefined && !(await wait(late.delay_ms))) throw new AnswerLost();
    },
    async after(effect: boolean) {
      const slow = fault('slow');
      if (slow !== undefined && !(await wait(slow.delay_ms))) throw new AnswerLost();
      ordered('after');
      if (!effect) return;
      if (fault('lost') !== undefined) throw new AnswerLost();
      if (fault('error_after') !== undefined) throw trouble();
    },
  });
}

/** The token of a call, from wherever Graph takes it. */
export function tokenOf(ctx: Context, params: Params | undefined): string | undefined {
  const [, bearer] = /^(?:Bearer|OAuth) (\S+)$/i.exec(ctx.get('authorization')) ?? [];
  return params?.text('access_token') ?? bearer;
}

/** Puts a refusal on the wire. */
export function refuse(ctx: Context, entry: JournalEntry, error: GraphError): void {
  entry.error = `${error.code}${error.detail.subcode === undefined ? '' : `/${error.detail.subcode}`}`;
  ctx.status = error.status;
  ctx.type = 'application/json';
  if (error.code === 190 || error.code === 104)
    ctx.set('WWW-Authenticate', `OAuth "Facebook Platform" "invalid_token" "${error.message.replaceAll('"', "'")}"`);
  ctx.body = JSON.stringify(envelope(error));
}

/** Names the method a request asks for, and the node it is about. */
function makeResolve(world: ServerOptions['world']) {
  const { nodes, people } = world;

  /** The kind of thing an id names; a PSID is known only to its Page. */
  function kindOf(id: string, actor: Actor | undefined): NodeKind {
    if (id === APP.id) return 'app';
    const kind = nodes.find(id)?.kind;
    if (kind !== undefined && NODE_KINDS.has(kind)) return kind as NodeKind;
    if (actor?.kind === 'page' && people.byPsid(actor.claims.page, id) !== undefined) return 'profile';
    if (!/^[\d_]+$|^[mt]_/.test(id))
      throw new GraphError(803, `(#803) Some of the aliases you requested do not exist: ${id.slice(0, 100)}`, {
        status: 404,
      });
    throw unknownObject(id);
  }

  function resolve(verb: string, path: readonly string[], actor: Actor | undefined): { name: string; id: string } {
    const [first = '', ...edge] = path;
    const whole = path.join('/');
    if (ROOTS.has(whole)) return { name: `${verb} ${whole}`, id: '' };
    if (path.length === 0) return { name: `${verb} ids`, id: '' };
    const self =
      actor === undefined || actor.kind === 'app'
        ? APP.id
        : actor.kind === 'page'
          ? actor.claims.page
          : actor.claims.person;
    const id = first === 'me' ? self : first;
    return { name: [`${verb} ${kindOf(id, actor)}`, ...edge].join('/'), id };
  }

  return resolve;
}

/** Notes parameters that the method does not have. */
function check({ params: known }: Method, params: Params, entry: JournalEntry): void {
  const strange = params.names.filter((name) => !COMMON.has(name) && !known.includes(name));
  if (strange.length > 0)
    entry.violation = `unknown parameters of ${entry.method}: ${strange.join(', ').slice(0, 200)}`;
}

/** Answers below `/graph` and `/graph-video`. */
export function graphServer(
  options: ServerOptions,
): (ctx: Context, host: string, segments: readonly string[]) => Promise<void> {
  const { world, methods, journal, complain } = options;
  const { tokens, clock } = world;

  const resolve = makeResolve(world);

  async function run(ctx: Context, segments: readonly string[], entry: JournalEntry): Promise<unknown> {
    const [head = '', ...rest] = segments;
    const number = VERSION.exec(head)?.[1];
    if (number !== undefined && (Number(number) < OLDEST || Number(number) > NEWEST))
      throw new GraphError(2635, `(#2635) You are calling a version of the API that does not exist: ${head}`);
    const version = number === undefined ? PRESENT : head;
    const path = number === undefined ? segments : rest;
    ctx.set({ 'facebook-api-version': version, 'x-fb-trace-id': newTrace() });
    const early = tokenOf(ctx, undefined) ?? ctx.URL.searchParams.get('access_token') ?? '';
    const params = await readParams(ctx, tokens.claimsOf(early) !== undefined);
    const token = tokenOf(ctx, params);
    const proof = params.text('appsecret_proof');
    const isOpen = path.join('/') === 'oauth/access_token';
    // Who a dead token belonged to still decides whose faults and journal lines these are.
    entry.person = (token === undefined ? undefined : tokens.claimsOf(token)?.person) ?? options.aboutWhom(params);
    const actor = token === undefined || isOpen ? undefined : tokens.actor(token, proof);
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
    check(method, params, entry);
    const gate = makeGate(options, entry, ctx, actor?.kind === 'page' ? actor.claims.page : '');
    const effect = method.effect ?? ctx.method !== 'GET';
    await gate.before();
    // A credential may have died while the call was kept waiting.
    const caller: Actor = actor === undefined ? { kind: 'app', token: '' } : tokens.actor(actor.token, proof);
    ctx.set(usageHeaders(caller));
    const frame = {
      actor: caller,
      graph: `${options.graph()}/${version}`,
      seesPeople: caller.kind === 'page' && holds(caller, 'pages_read_user_content'),
      now: clock.now(),
    };
    options.due();
    const answer = await method.run({ verb: ctx.method, params, actor: caller, frame, version }, id);
    world.pushes.kick();
    await gate.after(effect);
    return answer;
  }

  return async function answerGraph(ctx, host, segments) {
    const entry = journal.open({
      at: wireTime(clock.now()),
      network: 'facebook',
      verb: host,
      method: `${ctx.method} ${segments.join('/')}`.slice(0, 200),
    });
    try {
      if (!['GET', 'POST', 'DELETE'].includes(ctx.method)) throw badParam('Unsupported method');
      const answer = await run(ctx, segments, entry);
      ctx.status = 200;
      ctx.type = 'application/json';
      ctx.set({ 'Cache-Control': 'private, no-cache, no-store, must-revalidate' });
      ctx.body = JSON.stringify(answer);
    } catch (error) {
      if (error instanceof AnswerLost) {
        // Koa must not answer, and the peer must see the connection break.
        ctx.respond = false;
        ctx.req.socket.destroy();
        return;
      }
      if (!(error instanceof GraphError)) complain(error, `facebook ${entry.method}`);
      refuse(ctx, entry, error instanceof GraphError ? error : trouble());
    }
    entry.status = ctx.status;
  };
}

const NODE_KINDS = new Set<string>(['person', 'page', 'post', 'photo', 'video', 'comment', 'thread', 'message']);
