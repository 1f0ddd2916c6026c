import { attributes, html, markupOf, moduleAt, scriptAt, type Html } from '#kernel/text/html.ts';
import type { Links } from '#kernel/config/links.ts';
import type { RequestContext } from '#kernel/route.ts';
import type { PageScripts } from '../live/scripts.ts';
import { themeOf, type Theme } from './theme.ts';
import { APP_STYLESHEET, STYLESHEET } from './stylesheet.ts';

/** `form-action` also applies to redirects, so pages that may redirect to any client omit it (decision 0021). */
type Forms = 'own' | 'client';

export type Page = Readonly<{
  title: string;
  body: Html;
  rail?: Html;
  /** The navigation of wide public pages. */
  nav?: Html;
  /** A notice above the page of a signed-in person. */
  banner?: Html | undefined;
  /** The default is 200. */
  status?: number;
  /** For pages with forms: whether the forms stay on this origin or lead to a client. */
  forms?: Forms;
  /** The URL of the page's script, which may send requests to this origin. */
  script?: string;
  /** The page's scripts, if they render it. `body` is then its whole main part. */
  live?: PageScripts | undefined;
  /** By default, the theme of the system. */
  theme?: Theme;
}>;

/** Sends a page that allows no framing, no caching and no foreign scripts. */
export function sendPage(ctx: RequestContext, page: Page): void {
  ctx.status = page.status ?? 200;
  secure(ctx, page);
  ctx.type = 'text/html; charset=utf-8';
  ctx.body = drawDocument({ ...page, theme: themeOf(ctx) }, ctx.state.notice?.(), ctx.state.links);
}

/** Redirects with 302, which browsers follow with GET even after a form. */
export function sendOn(ctx: RequestContext, location: string): void {
  ctx.status = 302;
  secure(ctx, {});
  ctx.set('Location', location);
  ctx.body = '';
}

const SCRIPT_POLICY = ["script-src 'self'", "connect-src 'self'"];
const LIVE_POLICY = [
  ...SCRIPT_POLICY,
  "media-src 'self' https: blob:",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
];

type Needs = Pick<Page, 'forms' | 'script' | 'live'>;

function secure(ctx: RequestContext, needs: Needs): void {
  ctx.set({ ...headersOf(needs), 'Cache-Control': 'no-store' });
}

/** Security headers: what the page may load, where it may send, and that nobody may frame it. */
export function headersOf({ forms, script, live }: Needs): Readonly<Record<string, string>> {
  return {
    'Content-Security-Policy': [
      "default-src 'none'",
      "style-src 'self'",
      `img-src 'self' https: data:${live === undefined ? '' : ' blob:'}`,
      ...(live === undefined ? [] : LIVE_POLICY),
      ...(script === undefined ? [] : SCRIPT_POLICY),
      ...(forms === 'client' ? [] : ["form-action 'self'"]),
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ].join('; '),
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    // Both hide the address from other sites, but `no-referrer` makes browsers send forms with `Origin: null`.
    'Referrer-Policy': forms === undefined ? 'no-referrer' : 'same-origin',
  };
}

export function drawDocument(page: Page, notice?: Html, links: Links = {}): string {
  const { title, body, rail, nav, banner, script, live, theme = 'system' } = page;
  const bars = [notice, banner].filter((bar) => bar !== undefined);
  const whole = bars.length === 0 ? body : html`${bars}${body}`;
  return markupOf(
    html`<!doctype html>
      <html ${attributes({ lang: 'en', 'data-theme': theme === 'system' ? undefined : theme })}>
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="robots" content="noindex" />
          <title>${title} · Rostra</title>
          <link rel="stylesheet" href="${rail === undefined ? STYLESHEET : APP_STYLESHEET}" />
          <link
            rel="icon"
            href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 8 8'%3E%3Crect width='8' height='8' rx='2' fill='%232b45c9'/%3E%3Cpath d='M2 2h4v1H2zm1 2h2v2H3z' fill='white'/%3E%3C/svg%3E"
          />
          ${script !== undefined && scriptAt(script)} ${live !== undefined && moduleAt(live.script, live.imports)}
        </head>
        ${rail === undefined ? drawStandalone(whole, nav, links) : drawWithRail(rail, bars.length === 0 ? body : html`<div class="column">${whole}</div>`)}
      </html>`,
  );
}

const LINKS = [
  ['privacy', 'Privacy policy'],
  ['terms', 'Terms'],
  ['support', 'Support'],
] as const;

function drawFooter(links: Links): Html | undefined {
  const given = LINKS.flatMap(([name, title]) => (links[name] === undefined ? [] : [[links[name], title] as const]));
  if (given.length === 0) return undefined;
  return html`<footer>${given.map(([address, title]) => html`<a href="${address}">${title}</a> `)}</footer>`;
}

const drawStandalone = (body: Html, nav: Html | undefined, links: Links): Html =>
  html`<body ${attributes({ class: nav === undefined ? undefined : 'wide' })}>
    <header><a href="/">Rostra</a> ${nav}</header>
    <main>${body}</main>
    ${drawFooter(links)}
  </body>`;

const drawWithRail = (rail: Html, main: Html): Html =>
  html`<body class="app">
    <a class="skip" href="#main">Skip to the content</a>
    ${rail} ${main}
  </body>`;
