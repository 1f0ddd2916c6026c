import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { isRepeatable, type AnyTool } from '../../src/call/tool.ts';
import { ERRORS, PLATFORM_REASONS } from '../../src/kernel/errors.ts';
import { isPlatform } from '../../src/kernel/platforms.ts';
import { listTools } from '../../src/serve/mcp/catalogue.ts';
import { toolsets } from '../../tools/index.ts';
import { AGREED } from './operations-table.ts';
import { ROOT, sourcesIn } from './source.ts';

const tools: readonly AnyTool[] = toolsets.flatMap((set) => set.tools);
const located = toolsets.flatMap((set) => set.tools.map((tool) => ({ set: set.id, tool })));

/** Names of what breaks a rule; a rule holds when there are none. */
function breaking(rule: (tool: AnyTool) => boolean): readonly string[] {
  return tools.filter((tool) => !rule(tool)).map(({ name }) => name);
}

const camel = (name: string) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

describe('every operation', () => {
  it('is what was agreed', () => {
    const ours = located.map(({ set, tool }) => ({
      toolset: set,
      name: tool.name,
      method: tool.http.method,
      path: tool.http.path,
      status: tool.http.status ?? 200,
      access: tool.access,
      effect: tool.effect,
      meter: tool.meter,
    }));
    const agreed = ours.map(({ name }) => {
      const { idempotent: _i, destructive: _d, openWorld: _o, ...row } = AGREED.find((one) => one.name === name)!;
      return row;
    });
    expect(ours).toEqual(agreed);
  });

  it('tells assistants what it may do', () => {
    const entries = listTools(toolsets);
    const hints = entries.map(({ listed }) => (JSON.parse(listed) as { annotations: object }).annotations);
    const agreed = entries.map(({ tool: { name } }) => {
      const row = AGREED.find((one) => one.name === name)!;
      return {
        title: expect.stringMatching(/^[A-Z]/),
        readOnlyHint: row.effect === 'read',
        destructiveHint: row.effect === 'delete' || row.effect === 'send' || row.destructive,
        openWorldHint: row.openWorld,
        ...(row.effect !== 'read' && row.idempotent && { idempotentHint: true }),
      };
    });
    expect(hints).toEqual(agreed);
  });

  it('has its own name and its own route', () => {
    expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length);
    const routes = tools.map(({ http }) => `${http.method} ${http.path.replaceAll(/\{\w+\}/g, '{}')}`);
    expect(new Set(routes).size).toBe(tools.length);
    expect(breaking(({ name }) => /^[a-z]+(?:_[a-z]+)*$/.test(name))).toEqual([]);
    expect(breaking(({ http }) => /^(?:\/(?:[a-z-]+|\{[a-z_]+\}))+$/.test(http.path))).toEqual([]);
  });

  it('lives in a file of its name, in the folder of its toolset, and is exported under its name', async () => {
    const files = sourcesIn('tools').filter(({ code }) => /\bdefineTool\(/.test(code));
    const expected = located.map(({ set, tool }) => `tools/${set}/${tool.name.replaceAll('_', '-')}.ts`);
    expect(files.map(({ path }) => path)).toEqual([...expected].sort());
    for (const { set, tool } of located) {
      const module: Record<string, unknown> = await import(`../../tools/${set}/${tool.name.replaceAll('_', '-')}.ts`);
      expect([tool.name, Object.keys(module)]).toEqual([tool.name, [camel(tool.name)]]);
      expect(module[camel(tool.name)]).toBe(tool);
    }
  });

  it('is named in a test of its toolset', () => {
    const texts = new Map(toolsets.map(({ id }) => [id, testsOf(id)]));
    const untested = located.filter(({ set, tool }) => !new RegExp(`\\b${tool.name}\\b`).test(texts.get(set)!));
    expect(untested.map(({ set, tool }) => `test/tools/${set} does not name ${tool.name}`)).toEqual([]);
  });

  it('is summed up in one sentence', () => {
    expect(
      breaking(({ summary }) => /^[A-Z][^.!?]*(?:\.\w[^.!?]*)*\.$/.test(summary) && summary.length <= 160),
    ).toEqual([]);
  });

  it('describes every input', () => {
    const bare = tools.flatMap((tool) =>
      Object.entries(inputOf(tool).properties ?? {})
        .filter(([, field]) => typeof field !== 'object' || !field.description)
        .map(([name]) => `${tool.name}.${name}`),
    );
    expect(bare).toEqual([]);
  });

  it('bounds every text and every list it takes', () => {
    expect(tools.flatMap((tool) => unbounded(inputOf(tool), tool.name))).toEqual([]);
  });

  it('takes one flat object, and its path parameters are inputs', () => {
    expect(breaking((tool) => inputOf(tool).type === 'object')).toEqual([]);
    expect(
      breaking(({ http, input }) =>
        [...http.path.matchAll(/\{(\w+)\}/g)].every(([, name]) => Object.hasOwn(input.shape, name!)),
      ),
    ).toEqual([]);
    const required = ({ http }: AnyTool) => [...http.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
    expect(breaking((tool) => required(tool).every((name) => inputOf(tool).required?.includes(name)))).toEqual([]);
  });

  it('declares only refusals that exist and can be answered', () => {
    const wrong = tools.flatMap((tool) =>
      (tool.errors as readonly string[]).filter((code) => !isAnswerable(code)).map((code) => `${tool.name}: ${code}`),
    );
    expect(wrong).toEqual([]);
    expect(breaking(({ errors }) => new Set(errors).size === errors.length)).toEqual([]);
  });

  it('by POST has its effect once, however often it is repeated with its key', () => {
    const posts = tools.filter(({ http }) => http.method === 'POST');
    const undeclared = posts.filter((tool) => !isRepeatable(tool) && tool.resume === undefined && !tool.unguarded);
    expect(undeclared.map(({ name }) => name)).toEqual([]);
    expect(tools.filter(({ unguarded }) => unguarded).map(({ name }) => name)).toEqual(['test_webhook']);
    expect(breaking(({ http, resume, unguarded }) => http.method === 'POST' || (!resume && !unguarded))).toEqual([]);
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
    expect(lists.filter((tool) => !pages(tool)).map(({ name }) => name)).toEqual([]);
  });

  it('reads with GET and writes with the other methods', () => {
    const unlike = tools.filter(({ effect, http }) => effect === 'delete' && !['DELETE', 'POST'].includes(http.method));
    expect(unlike.map(({ name }) => name)).toEqual([]);
    expect(
      breaking(({ effect, http, name }) => http.method !== 'GET' || effect === 'read' || name.endsWith('_url')),
    ).toEqual([]);
  });
});

describe('toolsets', () => {
  it('have ids of their own, a title and a sentence', () => {
    expect(new Set(toolsets.map(({ id }) => id)).size).toBe(toolsets.length);
    for (const { id, title, description } of toolsets) {
      expect([id, title, description]).toEqual([
        expect.stringMatching(/^[a-z]+$/),
        expect.stringMatching(/^[A-Z]/),
        expect.stringMatching(/^[A-Z].*\.$/),
      ]);
    }
  });

  it('show assistants nothing that is for the dashboard alone', () => {
    const listed = listTools(toolsets).map(({ tool }) => tool);
    expect(listed.filter(({ access }) => 'dashboard' in access)).toEqual([]);
    const hidden = tools.filter((tool) => !listed.includes(tool)).map(({ name }) => name);
    const allowed = new Set(AGREED.filter(({ access }) => 'dashboard' in access).map(({ name }) => name));
    expect(hidden.filter((name) => !allowed.has(name) && name !== 'stream_events')).toEqual([]);
  });
});

describe('the agreed operations', () => {
  it('are 121, of which 7 are for the dashboard alone', () => {
    expect(AGREED).toHaveLength(121);
    expect(AGREED.filter(({ access }) => 'dashboard' in access)).toHaveLength(7);
  });
});

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
