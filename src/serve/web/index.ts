import type { Middleware } from 'koa';
import type { OAuth } from '../../../oauth/index.ts';
import type { Toolset } from '../../call/tool.ts';
import type { Signin } from '../../engine/signin/index.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Config } from '../../kernel/config.ts';
import { fail, type ApiError } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import type { Sealer } from '../../kernel/seal.ts';
import type { RequestState } from '../http/state.ts';
import { shown, type Invoke } from '../invoke.ts';
import { explain } from '../../kernel/envelope.ts';
import { waitHeader } from '../refusal-headers.ts';
import { makeConnectRoom, type Connect } from './connect/connect.ts';
import { makeConsentRoom } from './consent/consent.ts';
import { guardConsole } from './sign-in/console-guard.ts';
import { makeDashboardTokenRoom } from './dashboard/token.ts';
import { makeDashboardRoom } from './dashboard/index.ts';
import { makeEndings } from './connect/endings.ts';
import { makeForms } from './kit/forms.ts';
import { html } from './kit/html.ts';
import { makeLanding } from './landing.ts';
import { makeOperate } from './kit/operate.ts';
import { sendPage } from './kit/page.ts';
import type { PageContext, PageRoute, Room } from './kit/routes.ts';
import { makeSetupRoom } from './sign-in/setup.ts';
import { makeSignInRoom } from './sign-in/sign-in.ts';
import { stylesheetRoom } from './kit/stylesheet.ts';
import { makeVisitors } from './sign-in/visitors.ts';

/** As long as a connection may take. */
const FORM_SECONDS = 15 * 60;
/** Sign-in pages stay open for days. */
const DOOR_SECONDS = 30 * 86_400;

export type PagesDeps = Readonly<{
  config: Pick<Config, 'rootUrl' | 'sandbox'>;
  connect: Connect;
  workspaceName(workspaceId: string): Promise<string>;
  signin: Signin;
  oauth: Pick<OAuth, 'interactions' | 'connectedApps' | 'signDashboardToken'>;
  toolsets: readonly Toolset[];
  invoke: Invoke;
  /** Addresses of the sandbox that only the signed in may see; none while nobody else can reach this server. */
  isConsole(path: string): boolean;
  log: Log;
  clock: Clock;
  sealer: Pick<Sealer, 'derive'>;
  version: string;
}>;

/** All pages of the server; what is not one of them goes on to the API. */
export function makePages(deps: PagesDeps): Middleware<RequestState> {
  const { config, sealer, log, signin, oauth } = deps;
  const { rootUrl } = config;
  const forms = makeForms({ rootUrl, key: sealer.derive('form'), lifeSeconds: FORM_SECONDS });
  const doors = makeForms({ rootUrl, key: sealer.derive('door form'), lifeSeconds: DOOR_SECONDS });
  const endings = makeEndings({ rootUrl, key: sealer.derive('connect result') });
  const visitors = makeVisitors({
    rootUrl,
    key: sealer.derive('session form'),
    deviceKey: sealer.derive('device'),
    signin,
  });
  const operate = makeOperate(deps.toolsets, deps.invoke);
  const landing = makeLanding(config, deps.version, signin.isSetupNeeded);
  const pages = serveRooms(
    [
      stylesheetRoom,
      makeDashboardRoom({ config, visitors, operate, connectedApps: oauth.connectedApps, signin }, landing),
      makeDashboardTokenRoom({ visitors, clock: deps.clock, signDashboardToken: oauth.signDashboardToken }),
      makeSignInRoom({ rootUrl, signin, visitors, forms: doors }),
      makeSetupRoom({ rootUrl, signin, visitors, forms: doors }),
      makeConsentRoom({ interactions: oauth.interactions, visitors }),
      endings.room,
      makeConnectRoom({ ...deps, forms, endings }),
    ],
    log,
  );
  const guard = guardConsole(deps.isConsole, visitors);
  return (ctx, next) => guard(ctx, () => pages(ctx, next));
}

/** Answers the addresses of the rooms; a refusal becomes a page too, since people see it. */
export function serveRooms(rooms: readonly Room[], log: Log): Middleware<RequestState> {
  const routes = rooms.flat();

  return async function pages(ctx, next) {
    for (const route of routes) {
      const match = route.path.exec(ctx.path);
      if (match === null) continue;
      ctx.state.route = route.name;
      try {
        await answer(ctx, route, match.groups ?? {});
      } catch (thrown) {
        if (route.json) throw thrown;
        sendRefusal(ctx, shown(thrown, undefined, ctx.state.requestId, log));
      }
      return;
    }
    await next();
  };
}

function answer(ctx: PageContext, route: PageRoute, parts: Readonly<Record<string, string>>): Promise<void> | void {
  const method = ctx.method === 'HEAD' ? 'GET' : ctx.method;
  const handler = method === 'GET' ? route.GET : method === 'POST' ? route.POST : undefined;
  if (handler) return handler(ctx, parts);
  ctx.set('Allow', [...(route.GET ? ['GET', 'HEAD'] : []), ...(route.POST ? ['POST'] : [])].join(', '));
  fail('http.405');
}

function sendRefusal(ctx: PageContext, refusal: ApiError): void {
  const { status, code } = refusal;
  ctx.set(waitHeader(refusal));
  sendPage(ctx, {
    status,
    title: 'Error',
    body: html`<h1>That did not work</h1>
      <p>${explain(refusal)}</p>
      <p class="quiet">Error <code>${code}</code>, request <code>${ctx.state.requestId}</code></p>`,
  });
}
