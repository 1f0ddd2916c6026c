import type { Context } from 'koa';
import { GraphError } from './errors.ts';
import type { Actor } from '../oauth/tokens.ts';

const BLOCKED_MINUTES = 5;
/** Real limits are far higher than a sandbox needs, so the numbers only have to be plausible. */
const QUIET = Object.freeze({ call_count: 1, total_cputime: 1, total_time: 1 });
const FULL = Object.freeze({ call_count: 100, total_cputime: 25, total_time: 30 });

const businessUse = (page: string, type: string, usage: object, minutes: number) =>
  JSON.stringify({ [page]: [{ type, ...usage, estimated_time_to_regain_access: minutes }] });

/** The usage headers of a normal response; `business` is Meta's word for the kind of account. */
export function usageHeaders(actor: Actor, business = 'pages'): Record<string, string> {
  const app = { 'X-App-Usage': JSON.stringify(QUIET) };
  if (actor.kind !== 'page') return app;
  return {
    ...app,
    ...(business === 'pages' && { 'X-Page-Usage': JSON.stringify(QUIET) }),
    'X-Business-Use-Case-Usage': businessUse(actor.claims.page, business, QUIET, 0),
  };
}

export function accountThrottled(
  ctx: Context,
  business: string,
  error: GraphError,
  account = String(ctx.state['page'] ?? ''),
): GraphError {
  const usage = businessUse(account, business, FULL, BLOCKED_MINUTES);
  ctx.set({ 'X-App-Usage': JSON.stringify(QUIET), 'X-Business-Use-Case-Usage': usage });
  return error;
}

export function appThrottled(ctx: Context): GraphError {
  ctx.set('X-App-Usage', JSON.stringify(FULL));
  return new GraphError(4, '(#4) Application request limit reached', { is_transient: true });
}

/** The error for a rate limit: 613 for messages, 32 for a Page, 4 for the app. */
export function throttled(ctx: Context, method: string, page: string): GraphError {
  const isMessages = /page\/(?:messages|message_attachments)$/.test(method);
  const isPage = /\b(?:page|post|photo|video|comment|thread|message|profile)\b/.test(method);
  if (!isPage) return appThrottled(ctx);
  ctx.set({
    'X-App-Usage': JSON.stringify(QUIET),
    'X-Page-Usage': JSON.stringify(FULL),
    'X-Business-Use-Case-Usage': businessUse(page, isMessages ? 'messenger' : 'pages', FULL, BLOCKED_MINUTES),
  });
  if (isMessages) return new GraphError(613, '(#613) Calls to this api have exceeded the rate limit.');
  return new GraphError(32, '(#32) Page request limit reached', { is_transient: true });
}
