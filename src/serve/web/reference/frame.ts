import { staticDocument, type StaticDocument } from '#kernel/document.ts';
import { attributes, html, type Html } from '#kernel/text/html.ts';
import { REFERENCE } from '../../http/areas.ts';
import { drawDocument } from '../kit/html-page.ts';

const PAGES: readonly (readonly [path: string, title: string])[] = [
  [REFERENCE, 'Operations'],
  [`${REFERENCE}/errors`, 'Errors'],
  [`${REFERENCE}/events`, 'Events'],
  [`${REFERENCE}/scopes`, 'Scopes'],
];

export const LONGEST_QUERY = 100;

/** Everything around the content of a page of the reference. */
export function referencePage(title: string, current: string, body: Html, query = '') {
  const nav = html`<nav aria-label="Reference">
    <ul>
      ${PAGES.map(
        ([path, name]) =>
          html`<li>
            <a ${attributes({ href: path, 'aria-current': path === current ? 'page' : undefined })}>${name}</a>
          </li>`,
      )}
      <li><a href="/openapi.json">OpenAPI</a></li>
    </ul>
    <form role="search" class="search" action="${REFERENCE}">
      <label class="heard" for="q">Search the reference</label>
      <input
        ${attributes({ id: 'q', name: 'q', type: 'search', maxlength: String(LONGEST_QUERY), value: query, placeholder: 'Search the reference', autocomplete: 'off' })}
      />
      <button class="small">Search</button>
    </form>
  </nav>`;
  return { title, body, nav, forms: 'own' as const };
}

/** A page that is rendered only once. */
export function drawn(title: string, current: string, body: Html): StaticDocument {
  return staticDocument('text/html; charset=utf-8', drawDocument(referencePage(title, current, body)));
}

export const addressOf = (operation: string): string => `${REFERENCE}/${operation}`;

export const errorAddress = (code: string): string => `${REFERENCE}/errors#${anchorOf(code)}`;

/** The anchor of a code's explanation. Codes that any platform can return share one. */
export function anchorOf(code: string): string {
  return code.replace('<platform>', 'any');
}

export const drawJson = (value: unknown): Html => html`<pre><code>${JSON.stringify(value, undefined, 2)}</code></pre>`;
