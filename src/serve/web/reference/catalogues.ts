import type { AnyTool, Toolset } from '#call/tool.ts';
import type { StaticDocument } from '#kernel/document.ts';
import { REASON_STEPS, stepOf } from '#kernel/envelope.ts';
import { ERRORS, PLATFORM_REASONS, type ErrorCode, type PlatformReason } from '#kernel/errors.ts';
import { ACTION_EVENTS, EVENTS } from '#kernel/events.ts';
import { PLATFORMS } from '#kernel/platforms.ts';
import { SCOPES } from '#kernel/scopes.ts';
import { attributes, html, type Html } from '#kernel/text/html.ts';
import { REFERENCE } from '../../http/areas.ts';
import { addressOf, anchorOf, drawJson, drawn } from './frame.ts';

/** Every error code, with its own anchor and what to do about it. */
export function drawErrorsPage(): StaticDocument {
  const groups = Map.groupBy(Object.entries(ERRORS), ([code]) => code.split('.')[0]!);
  const body = html`<h1>Errors</h1>
    <p>
      Every refusal is <code>${'{"error": {"code", "message", "meta"}, "request_id"}'}</code>. Branch on
      <code>code</code>: codes never change. The message ends with what to do. Name the <code>request_id</code> when you
      report a problem: the log has it.
    </p>
    ${[...groups].map(
      ([group, codes]) =>
        html`<h2 ${attributes({ id: group })}>${group}</h2>
          <ul class="fields">
            ${codes.map(([code, [status, message]]) => drawCode(code, status, message, stepOf(code as ErrorCode)))}
          </ul>`,
    )}
    <h2 id="platform">platform</h2>
    <p>What a platform refused. The code names the platform, as in <code>${`platform.${PLATFORMS[0]}.auth`}</code>.</p>
    <ul class="fields">
      ${Object.entries(PLATFORM_REASONS).map(([reason, [status, message]]) => {
        const code = `platform.<platform>.${reason}`;
        return drawCode(code, status, message, REASON_STEPS[reason as PlatformReason], drawPlatformCodes(reason));
      })}
    </ul>`;
  return drawn('Errors', `${REFERENCE}/errors`, body);
}

function drawCode(code: string, status: number, message: string, step: string, more?: Html): Html {
  return html`<li ${attributes({ id: anchorOf(code) })}>
    <p><code>${code}</code> <span class="quiet">${status === 0 ? 'in results' : status}</span></p>
    <p>${message} ${step}</p>
    ${more}
  </li>`;
}

/** The same code for each platform, so that links to those codes work. */
function drawPlatformCodes(reason: string): Html {
  return html`<details>
    <summary>By platform</summary>
    <p>
      ${PLATFORMS.map((slug) => {
        const code = `platform.${slug}.${reason}`;
        return html`<code ${attributes({ id: code })}>${code}</code> `;
      })}
    </p>
  </details>`;
}

export function drawEventsPage(samples: Readonly<Record<string, unknown>>): StaticDocument {
  const body = html`<h1>Events</h1>
    <p>
      Webhooks send each event as a signed POST; <a href="${addressOf('create_webhook')}">create_webhook</a> registers
      an address for it. Deliveries can repeat and change order: deduplicate on the header
      <code>X-Service-Delivery</code>.
    </p>
    <ul class="fields">
      ${Object.entries({ ...EVENTS, ...ACTION_EVENTS }).map(
        ([name, [category, description]]) =>
          html`<li ${attributes({ id: name })}>
            <h2><code>${name}</code></h2>
            <p>${description} <span class="quiet">Category ${category}</span></p>
            <details>
              <summary ${attributes({ 'aria-label': `Sample payload of ${name}` })}>Sample payload</summary>
              ${drawJson(samples[name])}
            </details>
          </li>`,
      )}
    </ul>`;
  return drawn('Events', `${REFERENCE}/events`, body);
}

/** Every scope, with the operations it allows. */
export function drawScopesPage(toolsets: readonly Toolset[]): StaticDocument {
  const tools = toolsets.flatMap((set) => set.tools);
  const needs =
    (scope: string) =>
    ({ access }: AnyTool) =>
      'scope' in access && access.scope === scope;
  const body = html`<h1>Scopes</h1>
    <p>
      A scope is what a key may do. A key without scopes may do everything that keys may do;
      <a href="${addressOf('create_key')}">create_key</a> makes one with less.
    </p>
    <ul class="fields">
      ${Object.entries(SCOPES).map(
        ([scope, [, description]]) =>
          html`<li ${attributes({ id: scope })}>
            <h2><code>${scope}</code></h2>
            <p>${description}</p>
            <p>
              ${tools.filter(needs(scope)).map(({ name }) => html`<a href="${addressOf(name)}"><code>${name}</code></a> `)}
            </p>
          </li>`,
      )}
    </ul>`;
  return drawn('Scopes', `${REFERENCE}/scopes`, body);
}
