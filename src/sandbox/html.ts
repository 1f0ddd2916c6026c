/** Server-rendered markup: every interpolated value is escaped unless this module made it. */

// A symbol and not a plain key, so that no JSON a stranger stores can pass for finished markup.
const MARKUP = Symbol('markup');

export type Html = Readonly<{ [MARKUP]: string }>;

const ENTITIES: Readonly<Record<string, string>> = Object.freeze({
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
  return String(value).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
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

/** A whole document with the one stylesheet. */
export function page(title: string, body: Html): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${title}</title>
        <link rel="stylesheet" href="/sandbox/style.css" />
      </head>
      <body>
        <header>
          <a href="/sandbox">Sandbox</a> <span>a stand-in for the social networks; nothing here is public</span>
        </header>
        <main>${body}</main>
      </body>
    </html>`[MARKUP];
}

/** The stylesheet route's text. */
export const STYLESHEET = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0 auto; max-width: 62rem; padding: 1rem; }
header { border-bottom: 1px solid #8886; margin-bottom: 1.5rem; padding-bottom: .5rem; }
header span { opacity: .7; margin-inline-start: .5rem; }
section { margin-block: 2rem; }
table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid #8884; padding: .35rem .5rem; text-align: start; vertical-align: top; }
article { border: 1px solid #8886; border-radius: .5rem; margin-block: .75rem; padding: .75rem 1rem; overflow-wrap: anywhere; }
article p { margin: .25rem 0; white-space: pre-wrap; }
article img { border-radius: .4rem; max-height: 16rem; max-width: 100%; }
blockquote { margin: 0; padding-inline-start: 1.5rem; }
code { background: #8882; border-radius: .25rem; padding: .05rem .3rem; }
small, .quiet { opacity: .7; }
.wide { overflow-x: auto; }
form { align-items: end; display: flex; flex-wrap: wrap; gap: .5rem; }
label { display: grid; font-size: .85rem; }
input, select, textarea, button { font: inherit; max-width: 100%; padding: .3rem .5rem; }
input[type='number'] { width: 6rem; }
`;
