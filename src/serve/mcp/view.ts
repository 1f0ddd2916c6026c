import type { IncomingHttpHeaders } from 'node:http';
import { boundedMap } from '#kernel/limits/bounded-map.ts';
import { fail } from '#kernel/errors.ts';
import { MCP } from '../http/areas.ts';
import type { Entry } from './catalogue.ts';
import { CORE } from './core.ts';
import type { Outputs } from './answers/outputs.ts';

/** The tools that a request selects by its URL and headers; `id` is unique. */
export type View = Readonly<{ id: number; entries: ReadonlyMap<string, Entry>; outputs: Outputs }>;

export type Views = Readonly<{
  whole: View;
  /** The view for a URL and headers; undefined if the path is unknown. */
  of(url: string, headers: IncomingHttpHeaders): View | undefined;
}>;

type Selection = Readonly<{
  toolsets?: ReadonlySet<string>;
  tools?: ReadonlySet<string>;
  excluded: ReadonlySet<string>;
  readonly: boolean;
  outputs: Outputs;
}>;

const MOST_KEPT = 32;
const OFF: ReadonlySet<string> = new Set(['', '0', 'false', 'f', 'no', 'n', 'off']);
const NOTHING: ReadonlySet<string> = new Set();
const ALL = new Set(['all', 'default']);

const isBare = (url: string): boolean => url === MCP || url === `${MCP}/`;

/** The path of a request's URL. */
export function pathOf(url: string): string {
  const mark = url.indexOf('?');
  return mark === -1 ? url : url.slice(0, mark);
}

const isEverything = (named: ReadonlySet<string> | undefined): boolean =>
  named !== undefined && [...named].some((name) => ALL.has(name));
const isCore = (query: URLSearchParams): boolean => oneOf(query, 'view', ['core', 'all']) === 'core';

/** Creates views of a tool list and caches the latest; `toolsets` can be selected by name. */
export function makeViews(entries: readonly Entry[], toolsets: ReadonlySet<string>): Views {
  let made = 0;
  const viewOf = (chosen: readonly Entry[], outputs: Outputs): View =>
    Object.freeze({ id: made++, entries: new Map(chosen.map((entry) => [entry.tool.name, entry])), outputs });
  const whole = viewOf(entries, 'short');
  const kept = boundedMap<string, View>(MOST_KEPT);

  function choose(selection: Selection): View {
    const chosen = entries.filter((entry) => includes(selection, entry));
    const { outputs } = selection;
    const key = [outputs, ...chosen.map((entry) => entry.tool.name)].join(' ');
    const view = kept.get(key) ?? viewOf(chosen, outputs);
    kept.set(key, view);
    return view;
  }

  return Object.freeze({
    whole,
    of(url: string, headers: IncomingHttpHeaders) {
      if (isBare(url) && !narrows(headers)) return whole;
      const path = pathOf(url);
      const chosen = readPath(path, toolsets);
      if (chosen === undefined) return undefined;
      const query = new URLSearchParams(url.slice(path.length));
      const named = chosen.toolsets ?? names(query.get('toolsets') ?? headers['x-mcp-toolsets']);
      const listed = names(query.get('tools') ?? headers['x-mcp-tools']);
      refuseUnknown(listed, whole);
      const tools = isCore(query) ? new Set([...CORE, ...(listed ?? [])]) : listed;
      if (tools === undefined) refuseNone(named, toolsets);
      const everything = isEverything(named);
      return choose({
        ...(named !== undefined && !everything && { toolsets: named }),
        ...(tools !== undefined && !everything && { tools }),
        excluded: names(headers['x-mcp-exclude-tools']) ?? NOTHING,
        outputs: oneOf(query, 'outputs', ['short', 'full']) ?? 'short',
        readonly: chosen.readonly || isOn(query.get('readonly')) || isOn(headers['x-mcp-readonly']),
      });
    },
  });
}

/** Named toolsets and tools are added together; exclusions and read-only then remove some. */
function includes(selection: Selection, { tool, toolset }: Entry): boolean {
  if (selection.excluded.has(tool.name)) return false;
  if (selection.readonly && tool.effect !== 'read') return false;
  // Callers with limits need these tools in every view, to follow up on what they asked for.
  if (tool.leashed === true) return true;
  if (selection.toolsets === undefined && selection.tools === undefined) return true;
  return selection.toolsets?.has(toolset) === true || selection.tools?.has(tool.name) === true;
}

function narrows(headers: IncomingHttpHeaders): boolean {
  return (
    headers['x-mcp-toolsets'] !== undefined ||
    headers['x-mcp-tools'] !== undefined ||
    headers['x-mcp-exclude-tools'] !== undefined ||
    headers['x-mcp-readonly'] !== undefined
  );
}

/** `/mcp`, `/mcp/readonly`, `/mcp/x/{toolset}` and `/mcp/x/{toolset}/readonly`. */
function readPath(
  path: string,
  known: ReadonlySet<string>,
): { toolsets?: ReadonlySet<string>; readonly: boolean } | undefined {
  const segments = path.split('/').filter((segment) => segment !== '');
  const readonly = segments.at(-1) === 'readonly';
  const rest = readonly ? segments.slice(1, -1) : segments.slice(1);
  if (rest.length === 0) return { readonly };
  const [mark, toolset = ''] = rest;
  if (mark !== 'x' || rest.length !== 2 || !(known.has(toolset) || ALL.has(toolset))) return undefined;
  return { toolsets: new Set([toolset]), readonly };
}

/** Reads a comma-separated list; undefined if it is absent or empty, which selects everything. */
function names(value: string | string[] | null | undefined): ReadonlySet<string> | undefined {
  const list = String(value ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  return list.length === 0 ? undefined : new Set(list);
}

function isOn(value: string | string[] | null | undefined): boolean {
  return value !== null && value !== undefined && !OFF.has(String(value).trim().toLowerCase());
}

/** Reads a parameter that allows only a few values and refuses any other. */
function oneOf<T extends string>(query: URLSearchParams, name: string, values: readonly T[]): T | undefined {
  const given = query.get(name) || undefined;
  const value = values.find((one) => one === given);
  if (given === undefined || value !== undefined) return value;
  const message = `${name} is ${values.join(' or ')}.`;
  return fail('validation.field_invalid', { message, meta: { field: name } });
}

/** Unknown toolsets are ignored unless they would leave the assistant without any tool. */
function refuseNone(named: ReadonlySet<string> | undefined, toolsets: ReadonlySet<string>): void {
  if (named === undefined || [...named].some((name) => toolsets.has(name) || ALL.has(name))) return;
  fail('validation.field_invalid', {
    message: `There is no toolset ${[...named].join(', ')}; there are ${[...toolsets].join(', ')} and all.`,
    meta: { field: 'toolsets' },
  });
}

/** Refuses unknown tools, because a misspelt one would otherwise just be missing. */
function refuseUnknown(tools: ReadonlySet<string> | undefined, whole: View): void {
  const unknown = [...(tools ?? [])].find((name) => !whole.entries.has(name));
  if (unknown === undefined) return;
  fail('validation.field_invalid', {
    message: `There is no tool ${unknown}.`,
    next: 'Use names from tools/list.',
    meta: { field: 'tools' },
  });
}
