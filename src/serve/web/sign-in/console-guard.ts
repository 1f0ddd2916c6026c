import type { Middleware } from 'koa';
import type { RequestState } from '#kernel/route.ts';
import { SANDBOX } from '../../http/areas.ts';
import { sendOn } from '../kit/html-page.ts';
import { signInPath, type Visitors } from './visitors.ts';

/** Requires a session for the sandbox console if other machines can reach the server. */
export function guardConsole(isConsole: (path: string) => boolean, visitors: Visitors): Middleware<RequestState> {
  return async function guard(ctx, next) {
    if (!isConsole(ctx.path) || (await visitors.visitorOf(ctx)) !== undefined) return next();
    sendOn(ctx, signInPath(ctx.method === 'GET' ? ctx.path : SANDBOX));
  };
}
