import { readFileSync } from 'node:fs';
import { sha256 } from '../../kernel/sign.ts';
import type { Room } from './routes.ts';

const TEXT = readFileSync(new URL('./rostra.css', import.meta.url), 'utf8');
const VERSION = sha256(TEXT).slice(0, 16);

/** The address of the one stylesheet; it changes with the content, so browsers may keep it for ever. */
export const STYLESHEET = `/assets/rostra.css?v=${VERSION}`;

/** Serves the stylesheet. */
export const stylesheetRoom: Room = Object.freeze([
  {
    name: '/assets/rostra.css',
    path: /^\/assets\/rostra\.css$/,
    GET(ctx) {
      const current = ctx.query['v'] === VERSION;
      ctx.status = 200;
      ctx.set({
        'Cache-Control': current ? 'public, max-age=31536000, immutable' : 'no-cache',
        ETag: `"${VERSION}"`,
        'X-Content-Type-Options': 'nosniff',
      });
      if (ctx.fresh) {
        ctx.status = 304;
        return;
      }
      ctx.type = 'text/css; charset=utf-8';
      ctx.body = TEXT;
    },
  },
]);
