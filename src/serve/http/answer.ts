import { envelope } from '#kernel/envelope.ts';
import type { ApiError } from '#kernel/errors.ts';
import type { BareContext } from '#kernel/route.ts';
import { jsonOf } from '#kernel/text/prepared.ts';

type Headers = Readonly<Record<string, string>>;

export const JSON_TYPE = 'application/json; charset=utf-8';

/** Writes JSON without Koa's response step: one serialization and one write. */
export function sendJson(ctx: BareContext, status: number, body: object, headers?: Headers): void {
  sendText(ctx, status, jsonOf(body), JSON_TYPE, headers);
}

export function sendText(ctx: BareContext, status: number, text: string, type: string, headers?: Headers): void {
  const { req, res } = ctx;
  ctx.respond = false;
  res.statusCode = status;
  res.setHeader('Content-Type', type);
  res.setHeader('Content-Length', Buffer.byteLength(text));
  if (headers !== undefined) for (const name in headers) res.setHeader(name, headers[name]!);
  res.end(req.method === 'HEAD' ? undefined : text);
}

export function sendError(ctx: BareContext, error: ApiError, requestId: string, headers: Headers): void {
  if (ctx.res.headersSent) {
    ctx.respond = false;
    ctx.res.destroy();
    return;
  }
  sendJson(ctx, error.status, envelope(error, requestId, ctx.state.reader), headers);
}
