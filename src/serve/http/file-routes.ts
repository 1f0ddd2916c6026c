import type { Exports } from '#engine/exports/index.ts';
import type { Route } from '#kernel/route.ts';

/** `GET /files/{token}/{filename}`: exported files. Whoever has the URL may download. */
export function fileRoutes(exports: Pick<Exports, 'open'>): readonly Route[] {
  return Object.freeze<Route[]>([
    {
      path: '/files/{token}/{filename}',
      trailingSlash: false,
      HEAD: false,
      async GET(ctx, { token }) {
        const { filename, content_type, inline, style, body } = await exports.open(token!);
        ctx.body = body;
        ctx.attachment(filename, { type: inline ? 'inline' : 'attachment' });
        ctx.set({
          'Content-Type': content_type,
          'X-Content-Type-Options': 'nosniff',
          'Content-Security-Policy': [
            'sandbox allow-popups allow-popups-to-escape-sandbox',
            "default-src 'none'",
            ...(style === undefined ? [] : [`style-src '${style}'`]),
            "frame-ancestors 'none'",
            "base-uri 'none'",
          ].join('; '),
          'Referrer-Policy': 'no-referrer',
          'Cache-Control': 'private, no-store',
        });
      },
    },
  ]);
}
