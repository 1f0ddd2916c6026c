import type Koa from 'koa';
import type { RequestState, Route } from '#kernel/route.ts';
import { SANDBOX } from './areas.ts';

/** Routes `/sandbox` and below to the sandbox; `guard` decides who may open its console. */
export function sandboxRoutes(inner: Koa, guard: Koa.Middleware<RequestState>): readonly Route[] {
  const handle = inner.callback();
  return Object.freeze([
    {
      path: `${SANDBOX}/*`,
      around: guard,
      async ANY(ctx) {
        ctx.respond = false;
        await handle(ctx.req, ctx.res);
      },
    },
  ]);
}
