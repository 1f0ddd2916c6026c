import type { AnyTool, Toolset } from '#call/tool.ts';
import { ERRORS, PLATFORM_REASONS } from '#kernel/errors.ts';
import { ACTION_EVENTS, EVENTS } from '#kernel/events.ts';
import { SCOPES } from '#kernel/scopes.ts';
import { attributes, html, type Html } from '#kernel/text/html.ts';
import { REFERENCE } from '../../http/areas.ts';
import { withCode } from '../kit/with-code.ts';
import { addressOf, errorAddress } from './frame.ts';
import { counted } from '#kernel/people/counted.ts';

/** A search result: an operation, error, event or scope, with the row that shows it. */
type Entry = Readonly<{ kind: string; text: string; row: Html }>;

/** The first page of the reference: every operation, by set. */
export function drawOverview(toolsets: readonly Toolset[], rootUrl: string): Html {
  return html`<h1>API reference</h1>
    <p>
      Every operation is a route below <code>${rootUrl}/v1</code> and, for assistants, a tool of
      <code>${rootUrl}/mcp</code>. Send a key as <code>Authorization: Bearer …</code>.
    </p>
    <p>
      ${toolsets.map(({ id, title }, at) => html`${at > 0 && ' · '}<a href="${`${REFERENCE}#${id}`}">${title}</a>`)}
    </p>
    ${toolsets.map(
      ({ id, title, description, tools }) =>
        html`<h2 ${attributes({ id })}>${title}</h2>
          <p>${withCode(description)}</p>
          <ul class="fields">
            ${tools.map(drawRow)}
          </ul>`,
    )}`;
}

function drawRow({ name, summary, http }: AnyTool): Html {
  return html`<li>
    <p>
      <a href="${addressOf(name)}"><code>${name}</code></a> <span class="quiet">${http.method} ${http.path}</span>
    </p>
    <p>${withCode(summary)}</p>
  </li>`;
}

/** Everything that the search covers, prepared once. */
export function searchable(toolsets: readonly Toolset[]): readonly Entry[] {
  const found = (kind: string, address: string, name: string, about: string): Entry => ({
    kind,
    text: `${name} ${about}`.toLowerCase(),
    row: html`<li>
      <p>
        <a href="${address}"><code>${name}</code></a>
      </p>
      <p>${about}</p>
    </li>`,
  });
  const operations = toolsets.flatMap(({ title, tools }) =>
    tools.map((tool): Entry => {
      const { name, summary, http } = tool;
      const fields = Object.keys(tool.input.shape as object).join(' ');
      const words = `${name} ${name.replaceAll('_', ' ')} ${summary} ${http.method} ${http.path} ${title} ${fields}`;
      return { kind: 'Operations', text: words.toLowerCase(), row: drawRow(tool) };
    }),
  );
  const reasons = Object.entries(PLATFORM_REASONS).map(([reason, [, message]]) => {
    const code = `platform.<platform>.${reason}`;
    return found('Errors', errorAddress(code), code, message);
  });
  const errors = Object.entries(ERRORS).map(([code, [, message]]) =>
    found('Errors', errorAddress(code), code, message),
  );
  const events = Object.entries({ ...EVENTS, ...ACTION_EVENTS }).map(([name, [, about]]) =>
    found('Events', `${REFERENCE}/events#${name}`, name, about),
  );
  const scopes = Object.entries(SCOPES).map(([scope, [, about]]) =>
    found('Scopes', `${REFERENCE}/scopes#${scope}`, scope, about),
  );
  return [...operations, ...errors, ...reasons, ...events, ...scopes];
}

export function drawFound(entries: readonly Entry[], query: string): Html {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = entries.filter(({ text }) => words.every((word) => text.includes(word)));
  const groups = Map.groupBy(found, ({ kind }) => kind);
  return html`<h1>${counted(found.length, 'result')} for “${query}”</h1>
    ${found.length === 0 && html`<p>Try a shorter word, or look through <a href="${REFERENCE}">all operations</a>.</p>`}
    ${[...groups].map(
      ([kind, list]) =>
        html`<h2>${kind}</h2>
          <ul class="fields">
            ${list.map(({ row }) => row)}
          </ul>`,
    )}`;
}
