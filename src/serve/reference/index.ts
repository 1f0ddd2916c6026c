import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { facadeOf, inputOf, type Facade } from '#call/input.ts';
import { takesQuery, type AnyTool, type Toolset } from '#call/tool.ts';
import { ACTS } from '#kernel/acts.ts';
import { REASON_STEPS, stepOf } from '#kernel/envelope.ts';
import { ERRORS, PLATFORM_REASONS, type ErrorCode, type PlatformReason } from '#kernel/errors.ts';
import { ACTION_EVENT_DATA, ACTION_EVENTS, EVENTS } from '#kernel/events.ts';
import { PLANS } from '#kernel/plans.ts';
import { SCOPES } from '#kernel/scopes.ts';
import { isListed, listTools } from '../mcp/catalogue.ts';
import { openApiWithExamples } from '../openapi/document.ts';
import { isOwn, refusalsOf } from '../refusals.ts';
import samples from './event-samples.json' with { type: 'json' };
import { platformPage, reasonsOf, type PlatformEntry } from './platforms.ts';
import { table } from './table.ts';
import { jsonSchema, topLevel, type JsonSchema } from '../schema.ts';

type Options = Readonly<{
  toolsets: readonly Toolset[];
  platforms: readonly PlatformEntry[];
  /** The folder of the pages. Any other file in it counts as an outdated page. */
  folder: string;
  check: boolean;
}>;

const NOTICE = '<!-- Generated from the declarations by `npm run generate`; edit those instead. -->\n\n';

/** Updates the reference pages and returns those that had changed. */
export async function generate({ toolsets, platforms, folder, check }: Options): Promise<readonly string[]> {
  const wanted = renderReference(toolsets, platforms, await openApiWithExamples(toolsets));
  const present = await readPages(folder);
  const written = [...wanted].filter(([path, text]) => present.get(path) !== text);
  const outdated = [...present.keys()].filter((path) => !wanted.has(path));
  if (!check) {
    for (const [path, text] of written) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    for (const path of outdated) await rm(join(folder, path));
  }
  return [...written.map(([path]) => path), ...outdated].sort();
}

/** All pages, by their path below docs/reference. */
function renderReference(
  toolsets: readonly Toolset[],
  platforms: readonly PlatformEntry[],
  openApi: object,
): ReadonlyMap<string, string> {
  return new Map([
    ['README.md', page('Reference', index(toolsets))],
    ...toolsets.map((set) => [`operations/${set.id}.md`, page(set.title, operations(set))] as const),
    ['errors.md', page('Errors', errors(platforms))],
    ['events.md', page('Events', events())],
    ['scopes.md', page('Scopes', scopes(toolsets))],
    ['acts.md', page('Acts', acts(toolsets))],
    ['plans.md', page('Plans', plans())],
    ['platforms.md', page('Platforms', platformPage(platforms))],
    ['tools.md', page('Tools of /mcp', tools(toolsets))],
    ['openapi.json', `${JSON.stringify(openApi, undefined, 2)}\n`],
  ]);
}

async function readPages(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const pages = files.map(async (file) => {
    return [relative(folder, file).replaceAll('\\', '/'), await readFile(file, 'utf8')] as const;
  });
  return new Map(await Promise.all(pages));
}

function page(title: string, body: string): string {
  return `# ${title}\n${NOTICE}${body.trimEnd()}\n`;
}

function index(toolsets: readonly Toolset[]): string {
  const sets = toolsets.map(({ id, title, description, tools: list }) => {
    return [`[${title}](operations/${id}.md)`, list.length, description];
  });
  return `${table(['Operations', 'Count', 'About'], sets)}
[Errors](errors.md) · [Events](events.md) · [Scopes](scopes.md) · [Acts](acts.md) · [Plans](plans.md) · [Platforms](platforms.md) · [Tools of /mcp](tools.md) · [OpenAPI](openapi.json)

Every POST takes the header \`Idempotency-Key\`: [repeating requests safely](../repeating.md).
`;
}

function operations({ description, tools: list }: Toolset): string {
  return `${description}\n\n${list.map(operation).join('\n')}`;
}

function operation(tool: AnyTool): string {
  const { method, path, status = 200, also = [] } = tool.http;
  const fields = inputRows(tool);
  const refusals = refusalsOf(tool).filter((one) => isOwn(tool, one));
  return `## ${tool.name}
${tool.summary}

\`${method} /v1${path}\` → ${[status, ...also].join(' or ')} · ${accessOf(tool)} · ${effectOf(tool)}${isListed(tool) ? '' : ' · not a tool of /mcp'}

${fields.length === 0 ? 'No input.\n' : table(['Input', 'In', 'Type', '', 'Meaning'], fields)}
Answer: ${answerOf(tool)}

Refusals of its own: ${refusals.map(({ code, status: at }) => `\`${code}\` ${at}`).join(', ') || 'none'}.
`;
}

function inputRows(tool: AnyTool): readonly (readonly string[])[] {
  const { properties = {} } = jsonSchema(tool.input, 'input') as { properties?: Record<string, JsonSchema> };
  const requiredBy = (facade: Facade) => (jsonSchema(inputOf(tool, facade), 'input')['required'] ?? []) as string[];
  const required = new Set([...requiredBy('rest'), ...requiredBy('mcp')]);
  const { path } = tool.http;
  const inBody = tool.body === 'multipart' ? 'form' : 'body';
  const elsewhere = takesQuery(tool) ? 'query' : inBody;
  const placeOf = (name: string) => (facadeOf(tool.input.shape[name]) === 'mcp' ? 'MCP' : elsewhere);
  return Object.entries(properties).map(([name, schema]) => [
    `\`${name}\``,
    path.includes(`{${name}}`) ? 'path' : placeOf(name),
    typeOf(schema),
    required.has(name) ? 'required' : '',
    (schema['description'] ?? '') as string,
  ]);
}

function typeOf(schema: JsonSchema): string {
  const { type, items, format, enum: values, anyOf } = schema;
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' or ');
  if (Array.isArray(anyOf)) return anyOf.map((one) => typeOf(one as JsonSchema)).join(' or ');
  if (items !== undefined) return `list of ${typeOf(items as JsonSchema)}`;
  const name = Array.isArray(type) ? type.join(' or ') : ((type ?? 'any') as string);
  return format === undefined ? name : `${name} (${format as string})`;
}

function answerOf(tool: AnyTool): string {
  if (tool.file) return `the file \`${tool.file.name}\` (${tool.file.type}).`;
  const names = Object.keys(topLevel(jsonSchema(tool.output, 'output'))['properties'] as object);
  if (tool.stream) {
    return `Server-Sent Events, whose \`id\` the header Last-Event-ID takes up again; \`data\` has ${names.map((name) => `\`${name}\``).join(', ')}.`;
  }
  return names.length === 0 ? 'an object.' : `${names.map((name) => `\`${name}\``).join(', ')}.`;
}

function accessOf({ access }: AnyTool): string {
  if ('scope' in access) return `scope \`${access.scope}\``;
  if ('admin' in access) return 'no limited keys';
  if ('decide' in access) return 'dashboard, and keys that decide';
  if ('open' in access) return 'every token';
  return access.dashboard === true
    ? 'dashboard tokens of administrators'
    : `dashboard tokens of people whose role has \`${access.dashboard}\``;
}

function effectOf({ effect, idempotent, meter, pastDue }: AnyTool): string {
  return [
    effect,
    ...(idempotent ? ['may be repeated'] : []),
    ...(meter && meter !== 'storage' ? [`counts as ${meter}`] : []),
    ...(pastDue ? ['works while the subscription is unpaid'] : []),
  ].join(', ');
}

function errors(platforms: readonly PlatformEntry[]): string {
  const listed = Object.entries(ERRORS).map(([code, [status, message]]) => [
    `\`${code}\``,
    status || 'in results',
    message,
    stepOf(code as ErrorCode),
  ]);
  const reasons = Object.entries(PLATFORM_REASONS).map(([reason, [status, message]]) => {
    return [`\`platform.<platform>.${reason}\``, status, message, REASON_STEPS[reason as PlatformReason]];
  });
  return `Codes are stable. Every refusal is \`{error: {code, message, meta?}, request_id}\`; its message ends with what to do, here or in words that fit the case better.

${table(['Code', 'Status', 'Meaning', 'What to do'], listed)}
Platforms answer in their own words; these are ours for them. The status is the platform's own where that fits better.

${table(['Code', 'Status', 'Meaning', 'What to do'], reasons)}
## What platforms say

Which errors of each platform are known, and what becomes of them. Answers show what the platform itself said in \`platform_status\`, \`platform_code\`, \`platform_subcode\` and \`platform_message\`: in \`meta\` of a refusal, in the \`error\` of a target, in entries of the publishing log, in \`dm.status.failed\`, and in the log of the server. A 4xx that is not listed refuses as \`platform.<platform>.invalid_request\`, unless the post may be public by it; what says nothing, as a 5xx does, leaves it unknown.

${platforms.map(reasonsOf).filter(Boolean).join('\n')}`;
}

function events(): string {
  const rowsOf = (catalogue: Readonly<Record<string, readonly [string, string]>>) =>
    Object.entries(catalogue).map(([name, [category, description]]) => [`\`${name}\``, category, description]);
  const head = ['Event', 'Category', 'Fires when'];
  const fields = Object.entries(ACTION_EVENT_DATA.properties).map(([name, schema]) => [
    `\`${name}\``,
    typeOf(schema),
    schema.description,
  ]);
  const sampled = Object.entries(samples).map(
    ([name, body]) => `### ${name}\n\n\`\`\`json\n${JSON.stringify(body, undefined, 2)}\n\`\`\`\n`,
  );
  return `${table(head, rowsOf(EVENTS))}
## Actions

What [connections](../assistants.md) ask for and people decide. Sent only to endpoints that name these events, and listed by \`GET /v1/webhooks/events?category=actions\`.

${table(head, rowsOf(ACTION_EVENTS))}
Their \`data\`:

${table(['Field', 'Type', 'Meaning'], fields)}
## Samples

${sampled.join('\n')}`;
}

function scopes(toolsets: readonly Toolset[]): string {
  const list = toolsets.flatMap((set) => set.tools);
  const rows = Object.entries(SCOPES).map(([scope, [group, description]]) => {
    const opened = list
      .filter(({ access }) => 'scope' in access && access.scope === scope)
      .map(({ name }) => `\`${name}\``);
    return [`\`${scope}\``, group, description, opened.join(', ')];
  });
  return `A key without scopes may do everything that keys may do.\n\n${table(['Scope', 'Group', 'Allows', 'Operations'], rows)}`;
}

function acts(toolsets: readonly Toolset[]): string {
  const list = toolsets.flatMap((set) => set.tools);
  const rows = Object.entries(ACTS).map(([act, description]) => {
    const declaring = list.filter((tool) => tool.act === act).map(({ name }) => `\`${name}\``);
    return [`\`${act}\``, description, declaring.join(', ')];
  });
  return `What an operation may do at worst; operations that only read have no act. Assistants are told that \`post\`, \`message\`, \`comment\` and \`delete\` are destructive.\n\n${table(['Act', 'Meaning', 'Operations'], rows)}`;
}

function plans(): string {
  const list = Object.values(PLANS);
  const rows = list.map(({ name, limits, exports, monthly_price_usd, annual_price_usd }) => [
    name,
    ...[limits.profiles, limits.posts_per_month, limits.interactions_per_month, limits.storage_bytes].map(limitOf),
    limits.event_retention_days,
    limitOf(limits.exports_per_month),
    exports.report_days,
    ...[monthly_price_usd, annual_price_usd].map((price) => (price < 0 ? 'custom' : price)),
  ]);
  const head = [
    'Plan',
    'Brands',
    'Posts a month',
    'Interactions a month',
    'Storage (bytes)',
    'Event days',
    'Exports a month',
  ];
  return table([...head, 'Report days', 'USD a month', 'USD a year'], rows);
}

function limitOf(value: number): string {
  return value < 0 ? 'unlimited' : String(value);
}

function tools(toolsets: readonly Toolset[]): string {
  const rows = listTools(toolsets).map(({ tool, toolset, listed }) => {
    return { name: tool.name, toolset, effect: tool.effect, tokens: tokensOf(listed) };
  });
  const total = rows.reduce((sum, { tokens }) => sum + tokens, 0);
  return `${rows.length} tools. \`tools/list\` is about ${total} tokens of four bytes, ${Math.round(total / rows.length)} for each tool, as counted below. A client passes only names, descriptions and inputs on to a model: at most 13,000 tokens.

${table(
  ['Tool', 'Toolset', 'Effect', 'Tokens'],
  rows.map(({ name, toolset, effect, tokens }) => [
    `[${name}](operations/${toolset}.md#${name})`,
    toolset,
    effect,
    tokens,
  ]),
)}`;
}

function tokensOf(listed: string): number {
  return Math.ceil(Buffer.byteLength(listed) / 4);
}
