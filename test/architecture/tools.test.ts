import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { isRepeatable, type AnyTool } from '#call/tool.ts';
import { ERRORS, PLATFORM_REASONS } from '#kernel/errors.ts';
import { isPlatform } from '#kernel/platforms.ts';
import { listText, listTools } from '#serve/mcp/catalogue.ts';
import { toolsets } from '#tools/index.ts';
import { AGREED, type Agreed, OWN } from './operations-table.ts';
import { ROOT, sourcesIn } from './source.ts';

const tools: readonly AnyTool[] = toolsets.flatMap((set) => set.tools);
const located = toolsets.flatMap((set) => set.tools.map((tool) => ({ set: set.id, tool })));

/** The operations that break a rule, each with the sentence that says how to mend it. */
function breaking(rule: (tool: AnyTool) => boolean, mend: string): readonly string[] {
  return tools.filter((tool) => !rule(tool)).map(({ name }) => `${name}: ${mend}`);
}

const camel = (name: string) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

describe('every operation', () => {
  it('is what its table says: that of the contract, or that of our own', () => {
    const ours = located.map(({ set, tool }) => agreementOf(set, tool));
    const known = [...AGREED, ...OWN];
    const agreed = ours.map((one) => known.find(({ name }) => name === one.name)).map((one) => one && withImplied(one));
    expect(ours, 'change the declaration: operations-table.ts is the contract, and clients rely on it').toEqual(agreed);
    const routes = new Map(AGREED.map(({ method, path, name }) => [routeOf({ method, path }), name]));
    const takes = ({ name, http }: AnyTool) => (routes.get(routeOf(http)) ?? name) === name;
    expect(breaking(takes, 'take another route; the contract gives this one to another operation.')).toEqual([]);
  });

  it('of the contract is there', () => {
    const declared = new Set(tools.map(({ name }) => name));
    const missing = [...AGREED, ...OWN].filter(({ name }) => !declared.has(name));
    expect(
      missing.map(
        ({ name, toolset }) => `${name}: the contract has it; declare it in tools/${toolset}/ and its index.`,
      ),
    ).toEqual([]);
  });

  it('tells assistants what it may do', () => {
    const entries = listTools(toolsets);
    const hints = entries.map(({ listed }) => (JSON.parse(listed) as { annotations: object }).annotations);
    const declared = entries.map(({ tool }) => ({
      title: expect.stringMatching(/^[A-Z]/),
      readOnlyHint: tool.effect === 'read',
      destructiveHint:
        tool.effect === 'delete' ||
        tool.effect === 'send' ||
        ['post', 'message', 'comment'].includes(tool.act ?? '') ||
        tool.destructive === true,
      openWorldHint: tool.openWorld === true,
      ...(tool.effect !== 'read' && isRepeatable(tool) && { idempotentHint: true }),
    }));
    expect(hints).toEqual(declared);
  });

  it('has its own name and its own route', () => {
    const single = (of: (tool: AnyTool) => string) => (tool: AnyTool) =>
      tools.filter((other) => of(other) === of(tool)).length === 1;
    expect(
      breaking(
        single(({ name }) => name),
        'choose another name; this one is taken.',
      ),
    ).toEqual([]);
    expect(
      breaking(
        single(({ http }) => routeOf(http)),
        'choose another route; this one is taken.',
      ),
    ).toEqual([]);
    const named = ({ name }: AnyTool) => /^[a-z]+(?:_[a-z]+)*$/.test(name);
    expect(breaking(named, 'write the name in lower case, words joined by `_`.')).toEqual([]);
    const routed = ({ http }: AnyTool) => /^(?:\/(?:[a-z-]+|\{[a-z_]+\}))+$/.test(http.path);
    expect(breaking(routed, 'write the path as /words-in-lower-case/{parameter_name}.')).toEqual([]);
  });

  it('lives in a file of its name, in the folder of its toolset, and is exported under its name', async () => {
    const files = sourcesIn('tools').filter(({ code }) => /\bdefineTool\(/.test(code));
    const expected = located.map(({ set, tool }) => `tools/${set}/${tool.name.replaceAll('_', '-')}.ts`);
    const misplaced = files.map(({ path }) => path).filter((path) => !expected.includes(path));
    expect(
      misplaced.map((path) => `${path}: add its operation to the index.ts beside it, and name the file after it.`),
    ).toEqual([]);
    expect(expected.filter((path) => !files.some((file) => file.path === path))).toEqual([]);
    for (const { set, tool } of located) {
      const module: Record<string, unknown> = await import(`../../tools/${set}/${tool.name.replaceAll('_', '-')}.ts`);
      expect([tool.name, Object.keys(module)]).toEqual([tool.name, [camel(tool.name)]]);
      expect(module[camel(tool.name)]).toBe(tool);
    }
  });

  it('is named in a test of its toolset', () => {
    const texts = new Map(toolsets.map(({ id }) => [id, testsOf(id)]));
    const untested = located.filter(({ set, tool }) => !new RegExp(`\\b${tool.name}\\b`).test(texts.get(set)!));
    expect(
      untested.map(
        ({ set, tool }) => `${tool.name}: test it in test/tools/${set}/${tool.name.replaceAll('_', '-')}.test.ts.`,
      ),
    ).toEqual([]);
  });

  it('is summed up in one sentence', () => {
    const sentence = ({ summary }: AnyTool) =>
      /^[A-Z][^.!?]*(?:\.\w[^.!?]*)*\.$/.test(summary) && summary.length <= 160;
    expect(breaking(sentence, 'write the summary as one sentence of at most 160 characters.')).toEqual([]);
  });

  it('describes every input', () => {
    const bare = tools.flatMap((tool) =>
      Object.entries(inputOf(tool).properties ?? {})
        .filter(([, field]) => typeof field !== 'object' || !field.description)
        .map(([name]) => `${tool.name}.${name}: say what it means with .describe().`),
    );
    expect(bare).toEqual([]);
  });

  it('bounds every text and every list it takes', () => {
    const open = tools.flatMap((tool) => unbounded(inputOf(tool), tool.name));
    expect(open.map((place) => `${place}: bound it with .max().`)).toEqual([]);
  });

  it('takes one flat object, and its path parameters are inputs', () => {
    expect(breaking((tool) => inputOf(tool).type === 'object', 'declare the input as one z.object.')).toEqual([]);
    const inPath = ({ http }: AnyTool) => [...http.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
    const takes = (tool: AnyTool) => inPath(tool).every((name) => inputOf(tool).required?.includes(name));
    expect(breaking(takes, 'declare every parameter of the path as a required input.')).toEqual([]);
  });

  it('declares only refusals that exist and can be answered', () => {
    const wrong = tools.flatMap((tool) =>
      (tool.errors as readonly string[])
        .filter((code) => !isAnswerable(code))
        .map((code) => `${tool.name}: ${code} is no refusal of src/kernel/errors.ts that can be answered.`),
    );
    expect(wrong).toEqual([]);
    const single = ({ errors }: AnyTool) => new Set(errors).size === errors.length;
    expect(breaking(single, 'declare each error once.')).toEqual([]);
  });

  it('by POST has its effect once, however often it is repeated with its key', () => {
    const posts = tools.filter(({ http }) => http.method === 'POST');
    const undeclared = posts.filter((tool) => !isRepeatable(tool) && tool.resume === undefined && !tool.unguarded);
    expect(
      undeclared.map(({ name }) => `${name}: record the work with tx.key?.record and settle a repeat in \`resume\`.`),
    ).toEqual([]);
    expect(tools.filter(({ unguarded }) => unguarded).map(({ name }) => name)).toEqual(['test_webhook']);
    const keyless = ({ http, resume, unguarded }: AnyTool) => http.method === 'POST' || (!resume && !unguarded);
    expect(breaking(keyless, 'remove `resume` and `unguarded`; only a POST takes an Idempotency-Key.')).toEqual([]);
  });

  it('pages every list it answers', () => {
    const lists = tools.filter(({ output }) => {
      const { data } = (output as z.ZodObject).shape;
      return data instanceof z.ZodArray;
    });
    expect(lists.length).toBeGreaterThan(15);
    const pages = ({ input, output }: AnyTool) =>
      ['limit', 'cursor'].every((field) => field in (input as z.ZodObject).shape) &&
      ['pagination', 'next_cursor'].every((field) => field in (output as z.ZodObject).shape);
    const mend = 'take `limit` and `cursor` and answer `pageShape`, all of tools/fields.ts.';
    expect(lists.filter((tool) => !pages(tool)).map(({ name }) => `${name}: ${mend}`)).toEqual([]);
  });

  it('reads with GET and writes with the other methods', () => {
    const unlike = tools.filter(({ effect, http }) => effect === 'delete' && !['DELETE', 'POST'].includes(http.method));
    expect(unlike.map(({ name }) => `${name}: what deletes is a DELETE, or a POST.`)).toEqual([]);
    const reads = ({ effect, http, name }: AnyTool) =>
      http.method !== 'GET' || effect === 'read' || name.endsWith('_url');
    expect(breaking(reads, 'a GET only reads; take another method.')).toEqual([]);
  });
});

describe('toolsets', () => {
  it('have ids of their own, a title and a sentence', () => {
    expect(new Set(toolsets.map(({ id }) => id)).size).toBe(toolsets.length);
    for (const { id, title, description } of toolsets) {
      expect(id).toMatch(/^[a-z]+$/);
      expect(title).toMatch(/^[A-Z]/);
      expect(description).toMatch(/^[A-Z].*\.$/);
    }
  });

  it('are listed in ASCII: a single other character makes the text of tools/list take five times as long to send', () => {
    expect(listText(listTools(toolsets)).match(/\P{ASCII}/gu)).toBe(null);
  });

  it('show assistants nothing that is for the dashboard alone', () => {
    const listed = listTools(toolsets).map(({ tool }) => tool);
    expect(listed.filter(({ access }) => 'dashboard' in access)).toEqual([]);
    // People set these once, and list_free_times shows an assistant what comes of them.
    const settings = new Set(['get_posting_times', 'set_posting_times']);
    const isHidden = ({ name, access, stream, file }: AnyTool) =>
      'dashboard' in access || 'decide' in access || (stream ?? file) !== undefined || settings.has(name);
    const shown = (tool: AnyTool) => listed.includes(tool) || isHidden(tool);
    const mend = 'show it to assistants: only streams, files, settings and operations of the dashboard are hidden.';
    expect(breaking(shown, mend)).toEqual([]);
  });
});

describe('the agreed operations', () => {
  it('are 121, of which 7 are for the dashboard alone', () => {
    expect(AGREED).toHaveLength(121);
    expect(AGREED.filter(({ access }) => 'dashboard' in access)).toHaveLength(7);
  });
});

/** What the contract fixes of an operation. */
function agreementOf(toolset: string, tool: AnyTool): Agreed {
  const { name, http, access, effect, meter, destructive = false, openWorld = false } = tool;
  const { method, path, status = 200 } = http;
  const idempotent = tool.idempotent === true;
  return withImplied({
    toolset,
    name,
    method,
    path,
    status,
    access,
    effect,
    idempotent,
    destructive,
    openWorld,
    meter,
  });
}

/** An agreement with what its effect implies. */
function withImplied(row: Agreed): Agreed {
  const destructive = row.destructive || row.effect === 'delete' || row.effect === 'send';
  return { ...row, destructive, idempotent: row.idempotent || row.effect === 'read' };
}

/** A route without the names of its parameters. */
const routeOf = ({ method, path }: Readonly<{ method: string; path: string }>) =>
  `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`;

type Schema = z.core.JSONSchema.JSONSchema;

function inputOf(tool: AnyTool): Schema {
  return z.toJSONSchema(tool.input as z.ZodObject, { io: 'input', unrepresentable: 'any' });
}

/** Formats whose pattern bounds the length by itself; bytes are bounded by the upload. */
const BOUNDED_FORMATS: ReadonlySet<string> = new Set(['date-time', 'date', 'binary', 'uuid']);

function unbounded(schema: Schema | boolean, place: string): readonly string[] {
  if (typeof schema === 'boolean') return [];
  const { type, enum: values, const: only, format, maxLength, maxItems, items, properties = {}, $defs = {} } = schema;
  const here =
    (type === 'string' &&
      values === undefined &&
      only === undefined &&
      maxLength === undefined &&
      !BOUNDED_FORMATS.has(format ?? '')) ||
    (type === 'array' && maxItems === undefined);
  const inner = [
    ...Object.entries(properties).map(([name, one]) => [one, `${place}.${name}`] as const),
    ...Object.entries($defs).map(([name, one]) => [one, `${place}#${name}`] as const),
    ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])].map((one) => [one, place] as const),
    ...(items !== undefined && !Array.isArray(items) ? [[items, `${place}[]`] as const] : []),
    ...(schema.additionalProperties !== undefined ? [[schema.additionalProperties, `${place}.*`] as const] : []),
  ];
  return [...(here ? [place] : []), ...inner.flatMap(([one, where]) => unbounded(one, where))];
}

function isAnswerable(code: string): boolean {
  if (code === 'platform.*') return true;
  if (Object.hasOwn(ERRORS, code)) return ERRORS[code as keyof typeof ERRORS][0] > 0;
  const [space, platform, reason = '', more] = code.split('.');
  return (
    space === 'platform' &&
    (platform === '*' || isPlatform(platform)) &&
    Object.hasOwn(PLATFORM_REASONS, reason) &&
    !more
  );
}

function testsOf(set: string): string {
  const folder = join(ROOT, 'test/tools', set);
  if (!existsSync(folder)) return '';
  const files = readdirSync(folder).filter((name) => name.endsWith('.test.ts'));
  return files.map((name) => `${name.replaceAll('-', '_')}\n${readFileSync(join(folder, name), 'utf8')}`).join('\n');
}
