import type { Migrations } from '#engine/migrations/index.ts';
import { fail } from '#kernel/errors.ts';
import type { Route } from '#kernel/route.ts';
import { hasBody, headersOf } from '../http/body.ts';
import { bytesOf } from '../http/multipart.ts';

const BASE = /^\/migrate\/[^/?]+/;

/** `/migrate/{provider}/*`: the base URL for clients during a migration. Requests are forwarded to the provider. */
export function forwardRoutes({ forward }: Pick<Migrations, 'forward'>): readonly Route[] {
  return Object.freeze<Route[]>([
    {
      path: '/migrate/{provider}/*',
      async ANY(ctx, { provider }) {
        const { req, res } = ctx;
        const target = req.url!.replace(BASE, '');
        if (target === req.url) fail('http.404');
        const leaving = new AbortController();
        res.once('close', () => leaving.abort());
        const { status, headers, body } = await forward({
          provider: provider!,
          method: ctx.method,
          target,
          headers: headersOf(req),
          body: hasBody(req) ? bytesOf(req) : undefined,
          ip: ctx.ip,
          signal: leaving.signal,
        });
        ctx.status = status;
        ctx.body = body;
        ctx.remove('Content-Type');
        ctx.set({
          ...headers,
          'X-Content-Type-Options': 'nosniff',
          'Content-Security-Policy': "sandbox; default-src 'none'",
        });
      },
    },
  ]);
}
