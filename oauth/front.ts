import { sendDocument, staticDocument } from '../src/kernel/document.ts';
import { fail } from '../src/kernel/errors.ts';
import type { Context, Mount } from './request.ts';

type Handler = (ctx: Context, uid: string) => Promise<void> | void;

/** An address below the root. CORS is for what clients in a browser call; a person's browser is sent to the others. */
export type Route = Readonly<{
  path: RegExp;
  /** As the log names it. */
  name: string;
  method: 'GET' | 'POST';
  cors: boolean;
  handle: Handler;
}>;

const CORS = Object.freeze({ 'Access-Control-Allow-Origin': '*' });
const EXPOSED = 'X-Request-ID, Retry-After, WWW-Authenticate';

/** Answers the given routes and nothing else; no path of the provider is open by itself. */
export function makeFront(routes: readonly Route[]): Mount {
  return async function oauth(ctx, next) {
    for (const route of routes) {
      const match = route.path.exec(ctx.path);
      if (match) return answer(ctx, route, match[1] ?? '');
    }
    await next();
  };
}

async function answer(ctx: Context, { name, method, cors, handle }: Route, uid: string): Promise<void> {
  ctx.state.route = name;
  ctx.set('X-Content-Type-Options', 'nosniff');
  if (cors) ctx.set({ ...CORS, 'Access-Control-Expose-Headers': EXPOSED });
  if (cors && ctx.method === 'OPTIONS') {
    ctx.status = 204;
    ctx.set({
      'Access-Control-Allow-Methods': method,
      'Access-Control-Allow-Headers': 'Authorization, Content-Type, MCP-Protocol-Version',
      'Access-Control-Max-Age': '86400',
    });
    return;
  }
  // Documents may be asked for by HEAD; the authorization endpoint does something when it is asked.
  if (ctx.method === method || (ctx.method === 'HEAD' && method === 'GET' && cors)) return handle(ctx, uid);
  ctx.set('Allow', [method, ...(cors ? ['OPTIONS'] : [])].join(', '));
  fail('http.405');
}

/** A route that answers a document which never changes. */
export function constantAt(path: string, body: object, maxAgeSeconds: number): Route {
  const document = staticDocument('application/json; charset=utf-8', JSON.stringify(body));
  const headers = { 'Cache-Control': `public, max-age=${maxAgeSeconds}` };
  return { ...routeOf(path), handle: (ctx) => sendDocument(ctx, document, headers) };
}

/** A route that answers a document made for each request. */
export function documentAt(path: string, body: () => Promise<object>, maxAgeSeconds: number): Route {
  return {
    ...routeOf(path),
    async handle(ctx) {
      ctx.set('Cache-Control', `public, max-age=${maxAgeSeconds}`);
      ctx.body = await body();
    },
  };
}

function routeOf(path: string): Omit<Route, 'handle'> {
  return {
    path: new RegExp(`^${path.replaceAll('.', String.raw`\.`)}/?$`),
    name: path,
    method: 'GET',
    cors: true,
  };
}
