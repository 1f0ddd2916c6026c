import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { facadeOf, inputOf, type Facade } from '../call/input.ts';
import type { AnyTool, Toolset } from '../call/tool.ts';
import { ACTS } from '../kernel/acts.ts';
import { REASON_STEPS, stepOf } from '../kernel/envelope.ts';
import { ERRORS, PLATFORM_REASONS, type ErrorCode, type PlatformReason } from '../kernel/errors.ts';
import { EVENTS } from '../kernel/events.ts';
import { PLANS } from '../kernel/plans.ts';
import { SCOPES } from '../kernel/scopes.ts';
import { isListed, listTools } from './mcp/catalogue.ts';
import { openApiOf } from './openapi.ts';
import { refusalsOf } from './refusals.ts';
import { jsonSchema, topLevel, type JsonSchema } from './schema.ts';

/** A platform, or a further kind of its accounts, as the reference shows it. */
export type PlatformEntry = Readonly<{
  name: string;
  /** What it can do; the same keys for every platform. */
  support: Readonly<Record<string, boolean>>;
  settings: readonly Readonly<{ name: string; meaning: string; default: string }>[];
  /** What its consent pages are asked for, and what is taken away without each. */
  scopes: readonly Readonly<{ setting: string; scope: string; asked: boolean; effect: string }>[];
  /** What it calls, and when that ends, or may end at the earliest. */
  versions: readonly Readonly<{
    api: string;
    version: string;
    end: Readonly<{ day: string; isEarliest: boolean }> | undefined;
    setting: string | undefined;
    source: string;
  }>[];
  /** Its display name, and the reasons it gives that are known here, by our codes. */
  title: string;
  reasons: readonly Readonly<{ code: ErrorCode; meaning: string; said: readonly string[] }>[];
}>;

type Options = Readonly<{
  toolsets: readonly Toolset[];
  platforms: readonly PlatformEntry[];
  /** Where the pages live; everything else found there is taken for a page of yesterday. */
  folder: string;
  /** Only compares. */
  check: boolean;
}>;

const NOTICE = '<!-- Generated from the declarations by `npm run generate`; edit those instead. -->\n\n';

/** Brings the reference pages into step and names those that were not. */
export async function generate({ toolsets, platforms, folder, check }: Options): Promise<readonly string[]> {
  const wanted = renderReference(toolsets, platforms);
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

/** All pages by their path below docs/reference. */
export function renderReference(
  toolsets: readonly Toolset[],
  platforms: readonly PlatformEntry[],
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
    ['openapi.json', `${JSON.stringify(openApiOf(toolsets), undefined, 2)}\n`],
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

function table(head: readonly string[], rows: readonly (readonly unknown[])[]): string {
  const line = (cells: readonly unknown[]) => `| ${cells.map((cell) => cellOf(cell)).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line), ''].join('\n');
}

function cellOf(value: unknown): string {
  return String(value).replaceAll('|', '\\|').replaceAll('\n', ' ');
}

function platformPage(platforms: readonly PlatformEntry[]): string {
  const capabilities = Object.keys(platforms[0]?.support ?? {}).map((what) => [
    what,
    ...platforms.map(({ support }) => (support[what] ? 'yes' : '–')),
  ]);
  const settings = platforms.flatMap((platform) =>
    platform.settings.map(({ name, meaning, default: value }) => [`\`${name}\``, value && `\`${value}\``, meaning]),
  );
  const scopes = platforms.flatMap(({ scopes: own }) =>
    own.map(({ setting, scope, asked, effect }) => [
      `\`${setting}\``,
      `\`${scope}\``,
      asked ? 'asked for' : '–',
      effect,
    ]),
  );
  return `What the connectors of this version can do; everything else answers 501 \`resource.not_supported\`.

${table(['', ...platforms.map(({ name }) => name)], capabilities)}
## Settings

Environment variables beside those of [the server](../configuration.md).

${table(['Name', 'Default', 'Meaning'], named(settings))}
## Permissions

What each permission (scope) gives, of the app on a platform. A platform refuses a whole login over one that the app does not have: the setting names those to ask for. What an account lacks is listed in its \`metadata.unavailable\`, with the sentences below.

${table(['Setting', 'Permission', 'By default', 'Without it'], scopes)}
## Versions

What is called, and until when the platform serves it, as far as it has published that. 60 days before, the log warns once a day. A version that a platform has ended is answered \`platform.<platform>.version_ended\`.

${table(['Platforms', 'API', 'Version', 'Ends', 'Setting', 'Published'], versionRows(platforms))}`;
}

/** Rows that several platforms share stand once, at the first of them. */
const named = (rows: readonly (readonly string[])[]) => [...new Map(rows.map((row) => [row[0], row])).values()];

function versionRows(platforms: readonly PlatformEntry[]): readonly (readonly string[])[] {
  const all = platforms.flatMap(({ name, versions }) => versions.map((version) => ({ name, ...version })));
  return [...Map.groupBy(all, ({ api }) => api)].map(([api, [first, ...others]]) => {
    const { version, end, setting, source } = first!;
    const ends = end && (end.isEarliest ? `not before ${end.day}` : end.day);
    const names = [first!, ...others].map(({ name }) => name).join(', ');
    return [names, api, version, ends ?? 'not published', setting ? `\`${setting}\`` : '–', source];
  });
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
  const refusals = refusalsOf(tool).filter(({ code }) =>
    (tool.errors as readonly string[]).some((one) => covers(one, code)),
  );
  return `## ${tool.name}
${tool.summary}

\`${method} /v1${path}\` → ${[status, ...also].join(' or ')} · ${accessOf(tool)} · ${effectOf(tool)}${isListed(tool) ? '' : ' · not a tool of /mcp'}

${fields.length === 0 ? 'No input.\n' : table(['Input', 'In', 'Type', '', 'Meaning'], fields)}
Answer: ${answerOf(tool)}

Refusals of its own: ${refusals.map(({ code, status: at }) => `\`${code}\` ${at}`).join(', ') || 'none'}.
`;
}

function covers(declared: string, code: string): boolean {
  if (declared === 'platform.*') return code.startsWith('platform.<platform>.');
  return declared.replace('platform.*.', 'platform.<platform>.') === code;
}

function inputRows(tool: AnyTool): readonly (readonly string[])[] {
  const { properties = {} } = jsonSchema(tool.input, 'input') as { properties?: Record<string, JsonSchema> };
  const requiredBy = (facade: Facade) => (jsonSchema(inputOf(tool, facade), 'input')['required'] ?? []) as string[];
  const required = new Set([...requiredBy('rest'), ...requiredBy('mcp')]);
  const { method, path } = tool.http;
  const elsewhere = method === 'GET' || method === 'DELETE' ? 'query' : tool.body === 'multipart' ? 'form' : 'body';
  return Object.entries(properties).map(([name, schema]) => [
    `\`${name}\``,
    path.includes(`{${name}}`) ? 'path' : facadeOf(tool.input.shape[name]) === 'mcp' ? 'MCP' : elsewhere,
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
  return 'open' in access ? 'every token' : 'dashboard tokens only';
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

Which errors of each platform are known, and what becomes of them. Answers show what the platform itself said in \`platform_status\`, \`platform_code\`, \`platform_subcode\` and \`platform_message\`: in \`meta\` of a refusal, in the \`error\` of a target, in entries of the publishing log, and in \`dm.status.failed\`. A 4xx that is not listed refuses as \`platform.<platform>.invalid_request\`, unless the post may be public by it; what says nothing, as a 5xx does, leaves it unknown.

${platforms.map(reasonsOf).filter(Boolean).join('\n')}`;
}

function reasonsOf({ title, reasons }: PlatformEntry): string {
  if (reasons.length === 0) return '';
  const rows = reasons.map(({ code, meaning, said }) => [`\`${code}\``, said.join('; '), meaning, stepOf(code)]);
  return `### ${title}\n\n${table(['Our code', 'Its own', 'Meaning', 'What to do'], rows)}`;
}

function events(): string {
  const rows = Object.entries(EVENTS).map(([name, [category, description]]) => [`\`${name}\``, category, description]);
  return table(['Event', 'Category', 'Fires when'], rows);
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
  return `${rows.length} tools, about ${total} tokens in \`tools/list\` (a token is four bytes here), ${Math.round(total / rows.length)} each.

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
