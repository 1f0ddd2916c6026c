import type Koa from 'koa';
import { envelope } from '../../kernel/envelope.ts';
import type { ApiError } from '../../kernel/errors.ts';

type Headers = Readonly<Record<string, string>>;

const JSON_TYPE = 'application/json; charset=utf-8';

/** Writes a JSON answer past Koa's own response step: the text is made once and the connection written to once. */
export function sendJson(ctx: Koa.Context, status: number, body: object, headers?: Headers): void {
  sendText(ctx, status, JSON.stringify(body), JSON_TYPE, headers);
}

/** Writes a text that is ready to be sent. */
export function sendText(ctx: Koa.Context, status: number, text: string, type: string, headers?: Headers): void {
  const { req, res } = ctx;
  ctx.respond = false;
  res.statusCode = status;
  res.setHeader('Content-Type', type);
  res.setHeader('Content-Length', Buffer.byteLength(text));
  if (headers !== undefined) for (const name in headers) res.setHeader(name, headers[name]!);
  res.end(req.method === 'HEAD' ? undefined : text);
}

/** Answers a refusal that no operation was reached for. */
export function sendError(ctx: Koa.Context, error: ApiError, requestId: string, headers: Headers): void {
  if (ctx.res.headersSent) {
    ctx.respond = false;
    ctx.res.destroy();
    return;
  }
  sendJson(ctx, error.status, envelope(error, requestId), headers);
}
