import type { Clock } from '#kernel/clock.ts';
import { fail } from '#kernel/errors.ts';
import type { Handler, PathParams, RequestContext, Route } from '#kernel/route.ts';
import { sha256 } from '#kernel/sign.ts';
import { sendOn } from '../kit/html-page.ts';
import type { TitleOf } from '../kit/titles.ts';
import { flowOf, makeAttempts } from './attempts.ts';
import { makeChoosing } from './choosing.ts';
import { CANCELLED } from './outcomes.ts';
import { makeLogins, type LoginDeps } from './logins.ts';
import { makeConnectPages, type ConnectPagesDeps } from './pages.ts';
import { ELSEWHERE, subjectOf, type Connect, type ConnectPending, type FormValues } from './pending.ts';

export type ConnectRoutesDeps = ConnectPagesDeps &
  LoginDeps &
  Readonly<{ connect: Connect; clock: Clock; titleOf: TitleOf }>;

type Visit = Readonly<{ ctx: RequestContext; pending: ConnectPending; state: string }>;
type Visited = (visit: Visit) => Promise<void>;

const EXPIRED = 'The link has expired, or what it was to connect is gone; start the connection again.';

/** The pages of a connection: the login form, the step before the platform's consent page, and the callback. */
export function makeConnectRoutes(deps: ConnectRoutesDeps): readonly Route[] {
  const { connect, forms } = deps;
  const { showForm, showInterstitial } = makeConnectPages(deps);
  const logins = makeLogins(deps);
  const attempts = makeAttempts(deps.clock);
  const { redirectExpired, redirectEnded, cancel } = makeClosing(deps, attempts);

  const submit = async ({ ctx, pending, state }: Visit, fields: URLSearchParams) => {
    const values = valuesOf(pending.form ?? fail('auth.state_mismatch'), fields);
    const result = await attempts.attempt(flowOf(pending), sha256(JSON.stringify(values)), (last) =>
      logins.byForm(ctx.state.requestId, pending, values, last),
    );
    if ('location' in result) sendOn(ctx, result.location);
    else await showForm(ctx, pending, state, { values, refusal: result.refusal });
  };

  /** The OAuth callback. Only the browser that saw the page before can use it, so nobody completes another's link. */
  const finish: Visited = async ({ ctx, pending, state }) => {
    if (pending.platform.connect.kind !== 'oauth') fail('auth.state_mismatch');
    if (!forms.isOpen(ctx, subjectOf(state))) fail('auth.state_mismatch', ELSEWHERE);
    const params = queryOf(ctx);
    // The person declined, so there is no code to exchange.
    if (params['error'] === CANCELLED) return cancel({ ctx, pending, state });
    const result = await attempts.attempt(flowOf(pending), sha256(JSON.stringify(params)), () =>
      logins.byCallback(ctx.state.requestId, pending, state, params),
    );
    if (!('location' in result)) throw result.refusal;
    sendOn(ctx, result.location);
  };

  /** Calls a handler with the connection of a request. An ended connection goes to `ended` instead. */
  const visiting =
    (visited: Visited, ended: typeof redirectEnded): Handler =>
    async (ctx, { platform }) => {
      const state = stateIn(ctx);
      const pending = await connect.pending(platform!, state);
      await (pending === undefined ? ended(ctx, platform!, state) : visited({ ctx, pending, state }));
    };

  const posting = (act: typeof submit | undefined) => async (ctx: RequestContext, params: PathParams) => {
    const fields = await forms.read(ctx, subjectOf(stateIn(ctx)));
    const visited: Visited = (visit) =>
      act === undefined || fields.has('cancel') ? cancel(visit) : act(visit, fields);
    return visiting(visited, redirectEnded)(ctx, params);
  };

  return Object.freeze([
    {
      path: '/connect/{platform}/form',
      GET: visiting(({ ctx, pending, state }) => showForm(ctx, pending, state), redirectExpired),
      POST: posting(submit),
    },
    {
      path: '/connect/{platform}/go',
      GET: visiting(({ ctx, pending, state }) => showInterstitial(ctx, pending, state), redirectExpired),
      POST: posting(undefined),
    },
    { path: '/connect/{platform}/callback', GET: visiting(finish, redirectEnded) },
    makeChoosing(deps, attempts),
  ]);
}

/** Where the browser goes after a connection has ended. */
function makeClosing({ connect, endings }: ConnectRoutesDeps, attempts: ReturnType<typeof makeAttempts>) {
  /** An expired link returns to its client with an error in the query. */
  async function redirectExpired(ctx: RequestContext, platform: string, state: string): Promise<void> {
    const { row, code } = (await connect.expired(platform, state)) ?? fail('auth.state_mismatch');
    sendOn(ctx, endings.failed(row, code, EXPIRED));
  }

  /** A form that was submitted twice redirects like the first time. */
  async function redirectEnded(ctx: RequestContext, platform: string, state: string): Promise<void> {
    const location = await attempts.endOf(sha256(state));
    if (location === undefined) await redirectExpired(ctx, platform, state);
    else sendOn(ctx, location);
  }

  async function cancel({ ctx, pending, state }: Visit): Promise<void> {
    if (!(await connect.abandon(pending))) return redirectEnded(ctx, pending.row.platform, state);
    const location = endings.cancelled(pending.row);
    attempts.end(flowOf(pending), location);
    sendOn(ctx, location);
  }

  return { redirectExpired, redirectEnded, cancel };
}

/** Query parameters; of repeated ones, the first. */
function queryOf(ctx: RequestContext): FormValues {
  return Object.fromEntries([...new URLSearchParams(ctx.querystring)].toReversed());
}

/** The state of a connection. A platform returns it together with the name of the login. */
function stateIn(ctx: RequestContext): string {
  const { state } = ctx.query;
  const [, own] = (typeof state === 'string' && /^([0-9a-f]{64})(?:\.\w{1,40})?$/.exec(state)) || [];
  return own ?? fail('auth.state_mismatch');
}

/** The fields of the form. Passwords are not trimmed. */
function valuesOf(form: NonNullable<ConnectPending['form']>, fields: URLSearchParams): FormValues {
  return Object.fromEntries(
    form.flatMap(({ name, type }) => {
      const value = fields.get(name) ?? '';
      if (value.trim() === '') return [];
      return [[name, type === 'password' ? value : value.trim()]];
    }),
  );
}
