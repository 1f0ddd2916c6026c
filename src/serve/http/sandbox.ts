import type Koa from 'koa';
import type { RequestState } from './state.ts';

/** What the twins answer to programs; everything else of the sandbox is its console, which shows passwords. */
const TWIN = /^\/sandbox\/[a-z]+\/(xrpc|plc|did|handle|graph|graph-video|rupload|cdn)\//;

/** Addresses of the sandbox. */
const isOfSandbox = (path: string) => path === '/sandbox' || path.startsWith('/sandbox/');

/** Hands the addresses of the sandbox to it. */
export function mountSandbox(inner: Koa): Koa.Middleware<RequestState> {
  const handle = inner.callback();
  return async function sandbox(ctx, next) {
    if (!isOfSandbox(ctx.path)) return next();
    ctx.respond = false;
    await handle(ctx.req, ctx.res);
  };
}

/** Addresses of the sandbox that people look at, passwords and all. */
export const isConsole = (path: string) => isOfSandbox(path) && !TWIN.test(path);
