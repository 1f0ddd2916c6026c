import type Koa from 'koa';
import type { RequestState } from './state.ts';

/** Hands the addresses of the sandbox to it. */
export function mountSandbox(inner: Koa): Koa.Middleware<RequestState> {
  const handle = inner.callback();
  return async function sandbox(ctx, next) {
    if (ctx.path !== '/sandbox' && !ctx.path.startsWith('/sandbox/')) return next();
    ctx.respond = false;
    await handle(ctx.req, ctx.res);
  };
}
