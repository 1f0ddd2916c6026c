import type { Route } from '#kernel/route.ts';

/** Domain verification files of platforms: `/{name}` with configured content. */
export function siteFileRoutes(files: ReadonlyMap<string, string>): readonly Route[] {
  return [...files].map(([name, content]) => ({
    path: `/${name}`,
    trailingSlash: false,
    GET(ctx) {
      ctx.type = name.endsWith('.html') ? 'text/html' : 'text/plain';
      ctx.set({ 'X-Content-Type-Options': 'nosniff', 'Content-Security-Policy': "sandbox; default-src 'none'" });
      ctx.body = content;
    },
  }));
}
