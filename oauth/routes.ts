import type { Middleware } from 'koa';
import { sendDocument, staticDocument } from '#kernel/document.ts';
import type { Handler, RequestState, Route } from '#kernel/route.ts';

const CORS = Object.freeze({
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'X-Request-ID, Retry-After, WWW-Authenticate',
});

/** A route for clients, also in browsers (CORS). */
export function clientRoute(method: 'GET' | 'POST', path: string, handler: Handler): Route {
  return {
    path,
    around: cors,
    [method]: handler,
    OPTIONS(ctx) {
      ctx.status = 204;
      ctx.set({
        'Access-Control-Allow-Methods': method,
        'Access-Control-Allow-Headers': 'Authorization, Content-Type, MCP-Protocol-Version',
        'Access-Control-Max-Age': '86400',
      });
    },
    allow: `${method}, OPTIONS`,
  };
}

/** A route for browser redirects; GET has effects, so HEAD is refused. */
export function browserRoute(path: string, handler: Handler): Route {
  return { path, around: noSniff, GET: handler, HEAD: false };
}

export function constantRoute(path: string, body: object): Route {
  const document = staticDocument('application/json; charset=utf-8', JSON.stringify(body));
  const headers = { 'Cache-Control': 'public, max-age=300' };
  return clientRoute('GET', path, (ctx) => sendDocument(ctx, document, headers));
}

export function documentRoute(path: string, body: () => Promise<object>, maxAgeSeconds: number): Route {
  return clientRoute('GET', path, async (ctx) => {
    ctx.set('Cache-Control', `public, max-age=${maxAgeSeconds}`);
    ctx.body = await body();
  });
}

const noSniff: Middleware<RequestState> = (ctx, next) => {
  ctx.set('X-Content-Type-Options', 'nosniff');
  return next();
};

const cors: Middleware<RequestState> = (ctx, next) => {
  ctx.set(CORS);
  return noSniff(ctx, next);
};
