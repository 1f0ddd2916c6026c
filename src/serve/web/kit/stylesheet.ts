import { readFileSync } from 'node:fs';
import { sendDocument, staticDocument } from '#kernel/document.ts';
import type { Route } from '#kernel/route.ts';

const DOCUMENT = staticDocument(
  'text/css; charset=utf-8',
  readFileSync(new URL('./rostra.css', import.meta.url), 'utf8'),
);

/** The address of the one stylesheet; it changes with the content, so browsers may cache it forever. */
export const STYLESHEET = `/assets/rostra.css?v=${DOCUMENT.tag}`;

/** Serves the stylesheet. */
export const stylesheetRoutes: readonly Route[] = Object.freeze([
  {
    path: '/assets/rostra.css',
    trailingSlash: false,
    GET(ctx) {
      const current = ctx.query['v'] === DOCUMENT.tag;
      return sendDocument(ctx, DOCUMENT, {
        'Cache-Control': current ? 'public, max-age=31536000, immutable' : 'no-cache',
        'X-Content-Type-Options': 'nosniff',
      });
    },
  },
]);
