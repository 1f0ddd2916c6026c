import type { Clock } from '../../../kernel/clock.ts';
import type { Config } from '../../../kernel/config/config.ts';
import { fail, type ApiError, type ErrorCode } from '../../../kernel/errors.ts';
import type { Log } from '../../../kernel/log.ts';
import { sha256 } from '../../../kernel/sign.ts';
import { shown } from '../../invoke.ts';
import { waitHeader } from '../../refusal-headers.ts';
import { makeAttempts, type Outcome } from './attempts.ts';
import type { Connect, ConnectPending } from './pending.ts';
import { drawForm, drawInterstitial, headingOf, type Filled } from './view.ts';
import { CANCELLED, type makeEndings } from './endings.ts';
import type { Forms } from '../kit/form-guard.ts';
import { sendOn, sendPage } from '../kit/page.ts';
import type { PathParams, RequestContext, Route } from '../../../kernel/route.ts';

export type ConnectRoutesDeps = Readonly<{
  config: Pick<Config, 'rootUrl'>;
  connect: Connect;
  forms: Forms;
  endings: ReturnType<typeof makeEndings>;
  /** How a workspace is called before the people who connect accounts to it. */
  workspaceName(workspaceId: string): Promise<string>;
  log: Log;
  clock: Clock;
}>;

/** Refusals that are pages of their own: the connection can go on, or is gone already. */
const STOPPED: ReadonlySet<ErrorCode> = new Set(['auth.state_mismatch', 'http.503']);

type Values = Readonly<Record<string, string>>;

/** The pages a person connects an account on: our own form, and the step before a platform's consent page. */
export function makeConnectRoutes(deps: ConnectRoutesDeps): readonly Route[] {
  const { config, connect, forms, endings, log } = deps;
  const attempts = makeAttempts(deps.clock);

  async function drawn(ctx: RequestContext, pending: ConnectPending, state: string) {
    forms.open(ctx, subjectOf(state));
    return {
      pending,
      workspaceName: await deps.workspaceName(pending.row.workspace_id),
      consoleUrl: `${config.rootUrl}/sandbox`,
      action: `${ctx.path}?state=${state}`,
      token: forms.token(ctx, subjectOf(state)),
    };
  }

  async function showForm(ctx: RequestContext, pending: ConnectPending, state: string, filled?: Filled): Promise<void> {
    const form = formOf(pending) ?? fail('auth.state_mismatch');
    if (filled) ctx.set(waitHeader(filled.refusal));
    sendPage(ctx, {
      status: filled === undefined ? 200 : statusOf(filled.refusal),
      title: filled === undefined ? headingOf(pending) : `Error: ${headingOf(pending)}`,
      body: drawForm(await drawn(ctx, pending, state), form, filled),
      forms: 'client',
    });
  }

  async function showInterstitial(ctx: RequestContext, pending: ConnectPending, state: string): Promise<void> {
    if (pending.platform.connect.kind !== 'oauth') fail('auth.state_mismatch');
    sendPage(ctx, {
      title: headingOf(pending),
      body: drawInterstitial(await drawn(ctx, pending, state), connect.consentUrl(pending)),
      forms: 'client',
    });
  }

  /** A form that was sent twice, as by a double click, leads where the first one led. */
  async function followEnd(ctx: RequestContext, platform: string, state: string): Promise<void> {
    const end = await attempts.endOf(sha256(state));
    if (end === undefined) await tellExpired(ctx, platform, state);
    else sendOn(ctx, end);
  }

  /** A link that is too old leads back to its client, which is told why (spec § connect, error query). */
  async function tellExpired(ctx: RequestContext, platform: string, state: string): Promise<void> {
    const row = (await connect.expired(platform, state)) ?? fail('auth.state_mismatch');
    sendOn(
      ctx,
      endings.failed(
        row,
        'auth.state_mismatch',
        'The link has expired, or what it was to connect is gone; start the connection again.',
      ),
    );
  }

  async function cancel(ctx: RequestContext, pending: ConnectPending, state: string): Promise<void> {
    if (!(await connect.abandon(pending))) return followEnd(ctx, pending.row.platform, state);
    const location = endings.cancelled(pending.row);
    attempts.end(flowOf(pending), location);
    sendOn(ctx, location);
  }

  async function login(requestId: string, pending: ConnectPending, values: Values, last: boolean): Promise<Outcome> {
    try {
      return { location: endings.connected(pending.row, await connect.submit(pending, values)) };
    } catch (thrown) {
      // The one refusal that is part of a page: most of them show the form once more, the others end the connection.
      const refusal = shown(thrown, undefined, requestId, log);
      if (STOPPED.has(refusal.code)) throw refusal;
      log.info({ request_id: requestId, platform: pending.row.platform, code: refusal.code }, 'connection refused');
      if (refusal.code.startsWith('validation.')) return { refusal, counts: false };
      if (isWorthAnotherTry(refusal) && !last) return { refusal, counts: true };
      if (!(await connect.abandon(pending))) fail('auth.state_mismatch');
      return { location: endings.failed(pending.row, refusal.code, refusal.message) };
    }
  }

  async function submit(
    ctx: RequestContext,
    pending: ConnectPending,
    state: string,
    fields: URLSearchParams,
  ): Promise<void> {
    const values = valuesOf(formOf(pending) ?? fail('auth.state_mismatch'), fields);
    const outcome = await attempts.attempt(flowOf(pending), sha256(JSON.stringify(values)), (last) =>
      login(ctx.state.requestId, pending, values, last),
    );
    if ('location' in outcome) sendOn(ctx, outcome.location);
    else await showForm(ctx, pending, state, { values, refusal: outcome.refusal });
  }

  /** The platform sends the browser back: only the one that saw our page, so that nobody finishes another's link. */
  async function finish(ctx: RequestContext, { platform }: PathParams): Promise<void> {
    const state = stateIn(ctx);
    const pending = await connect.pending(platform!, state);
    if (pending === undefined) return followEnd(ctx, platform!, state);
    if (pending.platform.connect.kind !== 'oauth') fail('auth.state_mismatch');
    if (!forms.isOpen(ctx, subjectOf(state))) fail('auth.state_mismatch', ELSEWHERE);
    const params = paramsOf(ctx);
    // OAuth's word for a person who said no: nothing is left to ask the platform.
    if (params['error'] === CANCELLED) return cancel(ctx, pending, state);
    const outcome = await attempts.attempt(flowOf(pending), sha256(JSON.stringify(params)), () =>
      land(ctx.state.requestId, pending, params),
    );
    if (!('location' in outcome)) throw outcome.refusal;
    sendOn(ctx, outcome.location);
  }

  async function land(requestId: string, pending: ConnectPending, params: Values): Promise<Outcome> {
    try {
      const landed = await connect.land(pending, params);
      const location =
        'account' in landed
          ? endings.connected(pending.row, landed.account)
          : endings.undecided(pending.row, landed.choice.id);
      return { location };
    } catch (thrown) {
      const refusal = shown(thrown, undefined, requestId, log);
      if (STOPPED.has(refusal.code)) throw refusal;
      log.info({ request_id: requestId, platform: pending.row.platform, code: refusal.code }, 'connection refused');
      return { location: endings.failed(pending.row, refusal.code, refusal.message) };
    }
  }

  const showing =
    (show: typeof showForm | typeof showInterstitial) => async (ctx: RequestContext, parts: PathParams) => {
      const state = stateIn(ctx);
      const pending = await connect.pending(parts['platform']!, state);
      if (pending === undefined) await tellExpired(ctx, parts['platform']!, state);
      else await show(ctx, pending, state);
    };

  const answering = (act: typeof submit | undefined) => async (ctx: RequestContext, parts: PathParams) => {
    const state = stateIn(ctx);
    const fields = await forms.read(ctx, subjectOf(state));
    const pending = await connect.pending(parts['platform']!, state);
    if (pending === undefined) return followEnd(ctx, parts['platform']!, state);
    if (act === undefined || fields.has('cancel')) return cancel(ctx, pending, state);
    return act(ctx, pending, state, fields);
  };

  return Object.freeze([
    {
      path: '/connect/{platform}/form',
      GET: showing(showForm),
      POST: answering(submit),
    },
    {
      path: '/connect/{platform}/go',
      GET: showing(showInterstitial),
      POST: answering(undefined),
    },
    {
      path: '/connect/{platform}/callback',
      GET: finish,
    },
  ]);
}

/** What is said to a browser that brings back a consent it was not sent for by us. */
const ELSEWHERE = Object.freeze({
  message: 'This connection was started in another browser, or cookies are blocked here.',
});

/** What the platform sent back; of a name that comes twice, the first. */
function paramsOf(ctx: RequestContext): Values {
  return Object.fromEntries([...new URLSearchParams(ctx.querystring)].toReversed());
}

/** What the cookie and the forms of a connection are bound to. */
function subjectOf(state: string): string {
  return `connect ${state}`;
}

function stateIn(ctx: RequestContext): string {
  const { state } = ctx.query;
  return typeof state === 'string' && /^[0-9a-f]{64}$/.test(state) ? state : fail('auth.state_mismatch');
}

function formOf({ platform }: ConnectPending) {
  return platform.connect.kind === 'direct' ? platform.connect.form : undefined;
}

function flowOf({ row }: ConnectPending) {
  return { id: row.id, workspaceId: row.workspace_id, expiresAt: row.expires_at };
}

/** The fields of the form that were filled in; a password is taken as it is, blanks and all. */
function valuesOf(form: NonNullable<ReturnType<typeof formOf>>, fields: URLSearchParams): Values {
  return Object.fromEntries(
    form.flatMap(({ name, type }) => {
      const value = fields.get(name) ?? '';
      if (value.trim() === '') return [];
      return [[name, type === 'password' ? value : value.trim()]];
    }),
  );
}

/** The platform's refusals and our own failures; what the workspace or the account is in the way of, is final. */
function isWorthAnotherTry({ code }: ApiError): boolean {
  return code.startsWith('platform.') || code === 'system.internal';
}

/** A 401 would ask for HTTP authentication, and proxies put pages of their own before a 502. */
function statusOf({ status }: ApiError): number {
  return status === 429 || status === 500 ? status : 400;
}
