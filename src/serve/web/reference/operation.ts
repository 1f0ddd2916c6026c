import { inputOf } from '#call/input.ts';
import { isHoldable, isForPeople, takesQuery, type AnyTool, type Toolset } from '#call/tool.ts';
import { REASON_STEPS, stepOf } from '#kernel/envelope.ts';
import type { ErrorCode, PlatformReason } from '#kernel/errors.ts';
import type { StaticDocument } from '#kernel/document.ts';
import { html, type Html } from '#kernel/text/html.ts';
import { isListed } from '../../mcp/catalogue.ts';
import type { Example } from '../../openapi/index.ts';
import { isOwn, refusalsOf, type Refusal } from '../../refusals.ts';
import { jsonSchema } from '../../schema.ts';
import { curlOf, tokenVariable } from './curl.ts';
import { fieldsOf, type Field } from './fields.ts';
import { REFERENCE } from '../../http/areas.ts';
import { withCode } from '../kit/with-code.ts';
import { addressOf, drawJson, drawn, errorAddress } from './frame.ts';

/** The page of one operation: how to call it, what it returns, and why it may be refused. */
export function drawOperation(
  tool: AnyTool,
  set: Toolset,
  rootUrl: string,
  example: Example | undefined,
): StaticDocument {
  const { method, path } = tool.http;
  const body = html`<p class="quiet"><a href="${`${REFERENCE}#${set.id}`}">${set.title}</a></p>
    <h1>${tool.name}</h1>
    <p>${withCode(tool.summary)}</p>
    <p class="route"><code>${method} /v1${path}</code></p>
    <dl>
      ${propertiesOf(tool, set).map(
        ([name, words]) =>
          html`<dt>${name}</dt>
            <dd>${words}</dd>`,
      )}
    </dl>
    ${drawInputs(tool)}
    <h2>Example</h2>
    ${drawRequest(tool, rootUrl, example ?? { input: {} })} ${drawAnswer(tool, example)} ${drawRefusals(tool)}`;
  return drawn(tool.name, addressOf(tool.name), body);
}

/** Who may call it, what it costs and what it does, in a few words each. */
function propertiesOf(tool: AnyTool, set: Toolset): readonly (readonly [string, Html])[] {
  return [
    ['Who may call', accessOf(tool)],
    ['Credits', html`${creditOf(tool)}`],
    ['Effect', html`${effectOf(tool)}`],
    [
      'MCP tool',
      isListed(tool)
        ? html`<code>${tool.name}</code>, in the toolset <code>${set.id}</code> (<code>/mcp/x/${set.id}</code>)`
        : html`None: assistants cannot call it.`,
    ],
  ];
}

function accessOf({ access }: AnyTool): Html {
  if ('scope' in access) {
    return html`Keys with the scope <a href="${`${REFERENCE}/scopes#${access.scope}`}"><code>${access.scope}</code></a
      >, or without limits; signed-in apps`;
  }
  if ('admin' in access) return html`Keys that are not limited to scopes or brands; signed-in apps`;
  if ('decide' in access) return html`People, and keys that may decide`;
  return 'open' in access ? html`Every key and signed-in app` : html`People only, with a dashboard token`;
}

function creditOf({ meter }: AnyTool): string {
  if (meter === 'post') return 'One post of the plan’s month';
  if (meter === 'interaction') return 'One interaction of the plan’s month';
  return meter === 'storage' ? 'None; what is stored counts towards the storage of the plan' : 'None';
}

function effectOf(tool: AnyTool): string {
  const { effect, idempotent, http, openWorld } = tool;
  const repeats = http.method === 'POST' ? 'may be repeated with the same Idempotency-Key' : 'may be repeated';
  return [
    effect === 'read'
      ? 'Reads only'
      : { create: 'Creates', update: 'Changes', delete: 'Deletes', send: 'Sends' }[effect],
    ...(effect === 'read' ? [] : [idempotent ? 'may be repeated' : repeats]),
    ...(openWorld ? ['calls the platform or a receiver'] : []),
    ...(isHoldable(tool) ? ['may wait for a person to approve it (202)'] : []),
  ].join('; ');
}

function drawInputs(tool: AnyTool): Html {
  const { path } = tool.http;
  const fields = fieldsOf(jsonSchema(inputOf(tool, 'rest'), 'input'));
  const isInPath = ({ path: name }: Field) => path.includes(`{${name}}`);
  const others = fields.filter((field) => !isInPath(field));
  const inForm = tool.body === 'multipart' ? 'Form fields' : 'Body';
  const rest = takesQuery(tool) ? 'Query parameters' : inForm;
  const resumption: readonly Field[] = tool.stream
    ? [
        {
          path: 'Last-Event-ID',
          type: 'string',
          isRequired: false,
          rules: [],
          meaning: 'The id of the last event you received.',
        },
      ]
    : [];
  return html`${drawFields(
    'Path parameters',
    fields.filter(isInPath).map((field) => ({ ...field, isRequired: true })),
  )}
  ${drawFields(rest, others)} ${drawFields('Headers', resumption)}`;
}

function drawFields(title: string, fields: readonly Field[]): Html | undefined {
  if (fields.length === 0) return undefined;
  return html`<h2>${title}</h2>
    <ul class="fields">
      ${fields.map(drawField)}
    </ul>`;
}

function drawField({ path, type, isRequired, rules, meaning }: Field): Html {
  const notes = [type, ...rules].join('; ');
  return html`<li>
    <p><code>${path}</code> ${isRequired && html`<strong>required</strong>`} <span class="quiet">${notes}</span></p>
    ${meaning !== '' && html`<p>${withCode(meaning)}</p>`}
  </li>`;
}

function drawRequest(tool: AnyTool, rootUrl: string, example: Pick<Example, 'input'>): Html {
  const where = isForPeople(tool)
    ? html`<code>rostra token create --user you@example.org</code> prints a dashboard token`
    : html`an API key of yours`;
  return html`<p class="quiet">
      Set <code>${tokenVariable(tool)}</code> to the token: ${where}. Replace the ids by your own.
    </p>
    <pre><code>${curlOf(tool, rootUrl, example)}</code></pre>`;
}

function drawAnswer(tool: AnyTool, example: Example | undefined): Html {
  const { status = 200, also = [] } = tool.http;
  const fields = tool.file ? [] : fieldsOf(jsonSchema(tool.output, 'output'));
  const kind = tool.stream ? 'Server-Sent Events; the data of each is:' : undefined;
  return html`<h2>Answer</h2>
    <p>
      Status ${[status, ...also].join(' or ')}${tool.file && html`: the file <code>${tool.file.name}</code>`}. ${kind}
    </p>
    ${example && drawExample(example.answer)}
    ${
      fields.length > 0 &&
      html`<details>
        <summary>Every field of the answer</summary>
        <ul class="fields">
          ${fields.map((field) => drawField({ ...field, isRequired: false }))}
        </ul>
      </details>`
    }`;
}

/** Files and streams are shown as plain text. */
const drawExample = (answer: unknown): Html =>
  typeof answer === 'string' ? html`<pre><code>${answer}</code></pre>` : drawJson(answer);

function drawRefusals(tool: AnyTool): Html {
  const all = refusalsOf(tool);
  const [own, usual] = [all.filter((one) => isOwn(tool, one)), all.filter((one) => !isOwn(tool, one))];
  return html`<h2>Errors</h2>
    ${own.length > 0 && drawErrors(own)}
    <details>
      <summary>Errors that most operations share</summary>
      ${drawErrors(usual)}
    </details>`;
}

function drawErrors(refusals: readonly Refusal[]): Html {
  return html`<ul class="fields">
    ${refusals.map(
      ({ code, status, message }) =>
        html`<li>
          <p>
            <a href="${errorAddress(code)}"><code>${code}</code></a> <span class="quiet">${status}</span>
          </p>
          <p>${message} ${stepFor(code)}</p>
        </li>`,
    )}
  </ul>`;
}

function stepFor(code: string): string {
  const reason = /^platform\.<platform>\.(\w+)$/.exec(code)?.[1];
  return reason === undefined ? stepOf(code as ErrorCode) : REASON_STEPS[reason as PlatformReason];
}
