import { METHODS } from 'node:http';
import Router from '@koa/router';
import type { Middleware } from 'koa';
import { fail } from '#kernel/errors.ts';
import type { Handler, RequestContext, RequestState, Route } from '#kernel/route.ts';

/** The required form of `{name}` segments; any other value is an unknown address. */
const SHAPES: Readonly<Record<string, RegExp>> = {
  file: /^[\w.-]{1,80}$/,
  code: /^[0-9a-z]{58}$/,
  operation: /^[a-z_]{1,64}$/,
  path: /^[\w-]{1,64}$/,
  platform: /^[a-z_]{1,20}$/,
  token: /^[\w.-]{1,1024}$/,
  uid: /^[\w-]{1,64}$/,
};

type Params = { params: Record<string, string> };

/** Serves the routes of the table and passes other requests on. */
export function makeRouter(routes: readonly Route[]): Middleware<RequestState> {
  const router = new Router<RequestState>({ sensitive: true });
  for (const [name, shape] of Object.entries(SHAPES)) {
    router.param(name, (value, _ctx, next) => (shape.test(value) ? next() : fail('http.404')));
  }
  for (const route of routes.toSorted((one, other) => specificityOf(one).localeCompare(specificityOf(other)))) {
    const { path, around = passOn, trailingSlash = true } = route;
    const named: Middleware<RequestState> = (ctx, next) => {
      ctx.state.route = path;
      return next();
    };
    router.register(patternOf(path), METHODS, [named, around, handle(route)], { strict: !trailingSlash });
  }
  return router.routes() as Middleware<RequestState>;
}

/** Sorts fixed segments before parameters and parameters before `*`, so that the most specific route comes first. */
function specificityOf({ path }: Route): string {
  return path
    .split('/')
    .map((part) => (part === '*' ? 2 : Number(part.startsWith('{'))))
    .join('');
}

function patternOf(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1').replace(/\/\*$/, '{/*below}');
}

/** Calls the handler of the method, or responds with the allowed methods. */
function handle(route: Route): (ctx: RequestContext & Params) => Promise<void> | void {
  const { GET, POST, PUT, OPTIONS, ANY } = route;
  const handlers = new Map<string, Handler | undefined>(
    Object.entries({ GET, HEAD: route.HEAD === false ? undefined : GET, POST, PUT, OPTIONS }),
  );
  const { allow = [...handlers].flatMap(([method, handler]) => (handler ? [method] : [])).join(', ') } = route;
  return (ctx) => {
    const handler = handlers.get(ctx.method) ?? ANY;
    if (handler) return handler(ctx, ctx.params);
    ctx.set('Allow', allow);
    fail('http.405');
  };
}

function passOn(_ctx: unknown, next: () => Promise<unknown>): Promise<unknown> {
  return next();
}
