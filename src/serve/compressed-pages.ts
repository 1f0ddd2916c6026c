import type { Middleware } from 'koa';
import { compressAnswer } from '#kernel/document.ts';
import type { RequestState } from '#kernel/route.ts';

/** Requests of other sites, whose senders could learn what a page says from how well it is compressed. */
const FOREIGN: ReadonlySet<string> = new Set(['cross-site', 'same-site']);

/** Compresses pages for those who take it. */
export const compressPages: Middleware<RequestState> = async (ctx, next) => {
  await next();
  const { body, type } = ctx;
  if (typeof body !== 'string' || type !== 'text/html' || ctx.res.hasHeader('Content-Encoding')) return;
  if (!FOREIGN.has(ctx.get('Sec-Fetch-Site'))) await compressAnswer(ctx, body);
};
