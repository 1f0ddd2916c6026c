import type { Middleware } from 'koa';
import type { Log } from '#kernel/log.ts';
import type { RequestState } from '#kernel/route.ts';
import { presentError } from '../../invoke.ts';
import { sendProblem } from './problem.ts';

export function showRefusals(log: Log, rootUrl: string): Middleware<RequestState> {
  return async function page(ctx, next) {
    try {
      await next();
    } catch (thrown) {
      sendProblem(ctx, presentError(thrown, undefined, ctx.state.requestId, log), rootUrl);
    }
  };
}
