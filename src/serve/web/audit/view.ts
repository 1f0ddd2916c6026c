import { attributes, html, type Html } from '#kernel/text/html.ts';
import { tableOf } from '#kernel/text/table.ts';
import { drawSelect } from '../kit/form-fields.ts';
import { drawTime } from '../kit/times.ts';

/** Records as the operations return them. */
export type AuditView = Readonly<{
  at: string;
  tool: string;
  act: string | null;
  verdict: string;
  client: string;
  facade: string;
  address: string | null;
  arguments: Readonly<Record<string, unknown>>;
  status: number | null;
  code: string | null;
  effect_id: string | null;
  action_id: string | null;
}>;
export type ConnectionChoice = Readonly<{ id: string; name: string; host: string }>;

const VERDICTS = tableOf({
  allow: 'allowed',
  hold: 'has to ask',
  deny: 'refused',
  approved: 'a person agreed',
  expired: 'nobody decided',
  repeat: 'repeated',
});

type Filters = Readonly<{
  connections: readonly ConnectionChoice[];
  acts: readonly string[];
  /** The current choices. */
  fields: URLSearchParams;
}>;

/** The form that filters the list. Its values come from the page's URL. */
export function drawFilters(path: string, { connections, acts, fields }: Filters): Html {
  const now = (name: string) => fields.get(name) ?? '';
  const connection = now('connection_id');
  const isListed = connection === '' || connections.some(({ id }) => id === connection);
  const choices = [
    ...connections.map(({ id, name, host }) => [id, `${name} (${host})`] as const),
    // It may have ended.
    ...(isListed ? [] : [[connection, connection] as const]),
  ];
  const drawDay = (name: string, label: string) =>
    html`<div>
      <label for="field-${name}">${label}</label>
      <input ${attributes({ id: `field-${name}`, name, type: 'date', value: now(name) })} />
    </div>`;
  return html`<p>
      What apps and limited keys did or tried, what people did and decided, and who signed in. Entries are kept for 400
      days. Reads are not recorded.
    </p>
    <form ${attributes({ method: 'get', action: path, class: 'fields' })}>
      ${drawSelect({ name: 'connection_id', label: 'Connection', any: 'all', choices, value: connection })}
      ${drawSelect({
        name: 'act',
        label: 'Act',
        any: 'all',
        choices: acts.map((act) => [act, act] as const),
        value: now('act'),
      })}
      ${drawSelect({ name: 'verdict', label: 'Verdict', any: 'all', choices: [...VERDICTS], value: now('verdict') })}
      <div>
        <label for="field-tool">Operation</label>
        <input
          ${attributes({ id: 'field-tool', name: 'tool', maxlength: '100', value: now('tool'), autocapitalize: 'none' })}
        />
      </div>
      ${drawDay('since', 'From')} ${drawDay('until', 'To')}
      <button class="primary">Show</button>
    </form>`;
}

/** The audit entries, with a link to older ones if there are any. */
export function drawAudit(rows: readonly AuditView[], zone: string, older: string | undefined): Html {
  if (rows.length === 0) return html`<p class="quiet">There are no entries.</p>`;
  return html`<ul class="rows">
      ${rows.map(
        (row) =>
          html`<li>
            <div>
              <strong>${row.tool}</strong> by <bdi>${row.client}</bdi><br />
              ${VERDICTS.get(row.verdict) ?? row.verdict}${row.act !== null && html` (${row.act})`},
              ${endOf(row)}${row.action_id !== null && html`, <a href="/review/${row.action_id}">what was asked</a>`}<br />
              <small class="quiet">
                ${drawTime(row.at, zone)},
                ${row.facade}${row.address !== null && html`, from ${row.address}`}${
                  row.effect_id !== null && html`, <code>${row.effect_id}</code>`
                }
              </small>
              ${Object.keys(row.arguments).length > 0 && drawArguments(row)}
            </div>
          </li>`,
      )}
    </ul>
    ${older !== undefined && html`<p><a ${attributes({ class: 'button', href: older })}>Older</a></p>`}`;
}

const drawArguments = ({ tool, arguments: given }: AuditView): Html =>
  html`<details>
    <summary>Arguments <span class="heard">of ${tool}</span></summary>
    <pre><code>${JSON.stringify(given, undefined, 2)}</code></pre>
  </details>`;

/** How the call of a row ended. */
function endOf({ status, code, verdict }: AuditView): string {
  if (verdict === 'expired') return 'not done';
  if (status === null) return 'outcome unknown';
  if (status < 400) return verdict === 'hold' ? 'not done yet' : 'done';
  return code === null ? 'not done' : `not done: ${code}`;
}
