import type { Middleware } from 'koa';
import type { Clock } from '../../kernel/clock.ts';
import type { Config } from '../../kernel/config.ts';
import { fail, type ApiError } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import type { Sealer } from '../../kernel/seal.ts';
import type { RequestState } from '../http/state.ts';
import { shown } from '../invoke.ts';
import { makeConnectRoom, type Connect } from './connect.ts';
import { makeEndings } from './endings.ts';
import { makeForms } from './forms.ts';
import { html } from './html.ts';
import { makeLanding } from './landing.ts';
import { sendPage } from './page.ts';
import type { PageContext, PageRoute, Room } from './routes.ts';
import { stylesheetRoom } from './stylesheet.ts';

/** As long as a connection may take. */
const FORM_SECONDS = 15 * 60;

export type PagesDeps = Readonly<{
  config: Pick<Config, 'rootUrl' | 'sandbox'>;
  connect: Connect;
  workspaceName(workspaceId: string): Promise<string>;
  log: Log;
  clock: Clock;
  sealer: Pick<Sealer, 'derive' | 'open'>;
  version: string;
}>;

/** All pages of the server; what is not one of them goes on to the API. */
export function makePages(deps: PagesDeps): Middleware<RequestState> {
  const { config, sealer, log } = deps;
  const forms = makeForms({ rootUrl: config.rootUrl, key: sealer.derive('form'), lifeSeconds: FORM_SECONDS });
  const endings = makeEndings({ rootUrl: config.rootUrl, key: sealer.derive('connect result') });
  return serveRooms(
    [stylesheetRoom, makeLanding(config, deps.version), endings.room, makeConnectRoom({ ...deps, forms, endings })],
    log,
  );
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

function sendRefusal(ctx: PageContext, { status, message, code, detail }: ApiError): void {
  if (detail.retryAfter !== undefined) ctx.set('Retry-After', String(Math.ceil(detail.retryAfter)));
  sendPage(ctx, {
    status,
    title: 'Error',
    body: html`<h1>That did not work</h1>
      <p>${message}</p>
      <p class="quiet">Error <code>${code}</code>, request <code>${ctx.state.requestId}</code></p>`,
  });
}
