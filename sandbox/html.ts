import { attributes, html, markupOf, type Fill, type Html } from '#kernel/text/html.ts';

export { html, type Fill, type Html };

/** Returns the URL if it is safe to link; undefined for `javascript:` and the like. */
export function webAddress(uri: unknown): string | undefined {
  if (typeof uri !== 'string' || !URL.canParse(uri)) return undefined;
  const { protocol, href } = new URL(uri);
  return protocol === 'http:' || protocol === 'https:' ? href : undefined;
}

export const plain = (value: unknown): string | number | undefined =>
  typeof value === 'string' || typeof value === 'number' ? value : undefined;

export type NavLink = Readonly<{ path: string; title: string }>;

export const HOME: NavLink = Object.freeze({ path: '/sandbox', title: 'Sandbox' });
export const navLinkOf = (slug: string, title: string): NavLink => ({ path: `${HOME.path}/${slug}`, title });

/** A time for people. `part` limits it to the time of day, with milliseconds. */
export function drawTime(at: string, part: 'all' | 'day' = 'all'): Html {
  const text = part === 'day' ? at.slice('2026-11-21T'.length, -1) : at.slice(0, '2026-11-21T12:00:00'.length);
  return html`<time datetime="${at}" title="${at}">${text.replace('T', ' ')}</time>`;
}

/** A whole page, with `links` at the top, of which the current one is marked. */
export function page(title: string, body: Html, links: readonly NavLink[] = [HOME], here?: string): string {
  return markupOf(
    html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="robots" content="noindex" />
          <title>${title}</title>
          <link rel="stylesheet" href="/sandbox/style.css" />
          <link rel="icon" href="/sandbox/icon.svg" />
        </head>
        <body>
          <header>
            <p>Simulators of the social networks: nothing here is public, and nobody here is real.</p>
            <nav aria-label="Sandbox">
              ${links.map(({ path, title: name }) => html`<a href="${path}" ${attributes({ 'aria-current': path === here && 'page' })}>${name}</a>`)}
            </nav>
          </header>
          <main>${body}</main>
        </body>
      </html>`,
  );
}

export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><rect width="8" height="8" rx="2" fill="#1c6b45"/><path d="M2 2h4v1H2zm1 2h2v2H3z" fill="#fff"/></svg>`;
