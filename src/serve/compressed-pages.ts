import type { Middleware } from 'koa';
import { compressAnswer } from '#kernel/document.ts';
import type { RequestState } from '#kernel/route.ts';

/** Requests from other sites get no compression, as the compressed size could reveal a page's content. */
const FOREIGN: ReadonlySet<string> = new Set(['cross-site', 'same-site']);

/** Compresses pages for clients that accept it. */
export const compressPages: Middleware<RequestState> = async (ctx, next) => {
  await next();
  const { body, type } = ctx;
  if (typeof body !== 'string' || type !== 'text/html' || ctx.res.hasHeader('Content-Encoding')) return;
  if (!FOREIGN.has(ctx.get('Sec-Fetch-Site'))) await compressAnswer(ctx, body);
};
