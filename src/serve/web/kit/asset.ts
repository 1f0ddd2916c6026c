import { sendDocument, staticDocument } from '#kernel/document.ts';
import type { Route } from '#kernel/route.ts';

/** A file for pages. Its URL changes with its content, so browsers can cache it forever. */
export function makeAsset(path: string, type: string, content: string): Readonly<{ address: string; route: Route }> {
  const document = staticDocument(type, content);
  const route: Route = {
    path,
    trailingSlash: false,
    GET(ctx) {
      const current = ctx.query['v'] === document.tag;
      return sendDocument(ctx, document, {
        'Cache-Control': current ? 'public, max-age=31536000, immutable' : 'no-cache',
        'X-Content-Type-Options': 'nosniff',
      });
    },
  };
  return Object.freeze({ address: `${path}?v=${document.tag}`, route });
}
