import { tableOf } from '#kernel/text/table.ts';
/** Server-rendered markup: every interpolated value is escaped unless this module made it. */

// A symbol and not a plain key, so that no JSON a stranger stores can pass for finished markup.
const MARKUP = Symbol('markup');

export type Html = Readonly<{ [MARKUP]: string }>;

const ENTITIES: ReadonlyMap<string, string> = tableOf({
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
});

const isHtml = (value: unknown): value is Html => typeof value === 'object' && value !== null && MARKUP in value;

function fill(value: unknown): string {
  if (isHtml(value)) return value[MARKUP];
  if (Array.isArray(value)) return value.map(fill).join('');
  if (typeof value !== 'string' && typeof value !== 'number') return '';
  return String(value).replace(/[&<>"']/g, (character) => ENTITIES.get(character) ?? '');
}

/** The template tag of all sandbox pages. */
export function html(parts: TemplateStringsArray, ...values: unknown[]): Html {
  const markup = parts.reduce((done, part, at) => done + part + (at < values.length ? fill(values[at]) : ''), '');
  return Object.freeze({ [MARKUP]: markup });
}

/** The address of a link if a browser may follow it, else nothing: `javascript:` and friends are no links. */
export function webAddress(uri: unknown): string | undefined {
  if (typeof uri !== 'string' || !URL.canParse(uri)) return undefined;
  const { protocol, href } = new URL(uri);
  return protocol === 'http:' || protocol === 'https:' ? href : undefined;
}

/** A page that others lead to. */
export type NavLink = Readonly<{ path: string; title: string }>;

export const HOME: NavLink = Object.freeze({ path: '/sandbox', title: 'Sandbox' });
/** Where everything of one network is shown and played. */
export const navLinkOf = (slug: string, title: string): NavLink => ({ path: `${HOME.path}/${slug}`, title });

/** An instant as people read it; `part` is the part of the day alone, with milliseconds. */
export function drawTime(at: string, part: 'all' | 'day' = 'all'): Html {
  const text = part === 'day' ? at.slice('2026-11-21T'.length, -1) : at.slice(0, '2026-11-21T12:00:00'.length);
  return html`<time datetime="${at}" title="${at}">${text.replace('T', ' ')}</time>`;
}

/** A whole document with the one stylesheet; `places` stand at its top, the one that is shown marked as such. */
export function page(title: string, body: Html, links: readonly NavLink[] = [HOME], here?: string): string {
  return html`<!doctype html>
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
          <p>A stand-in for the social networks: nothing here is public, and nobody here is real.</p>
          <nav aria-label="Sandbox">
            ${links.map(({ path, title: name }) => html`<a href="${path}" ${path === here && html`aria-current="page"`}>${name}</a>`)}
          </nav>
        </header>
        <main>${body}</main>
      </body>
    </html>`[MARKUP];
}

/** The sign of the sandbox in a browser's tab. */
export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><rect width="8" height="8" rx="2" fill="#1c6b45"/><path d="M2 2h4v1H2zm1 2h2v2H3z" fill="#fff"/></svg>`;
