import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { inputOf } from '#call/input.ts';
import type { AnyTool } from '#call/tool.ts';
import { unwrapped } from '#serve/unwrap.ts';
import { listTools } from '#serve/mcp/catalogue.ts';
import { toolsets } from '#tools/index.ts';

type Schema = Readonly<{
  anyOf?: readonly Schema[];
  additionalProperties?: Schema | boolean;
  type?: unknown;
  format?: unknown;
  enum?: unknown;
  properties?: Readonly<Record<string, Schema>>;
  items?: Schema;
  required?: readonly string[];
}>;

const LISTED: readonly (readonly [string, Schema, AnyTool])[] = listTools(toolsets).map(({ tool, listed }) => [
  tool.name,
  (JSON.parse(listed) as { inputSchema: Schema }).inputSchema,
  tool,
]);

/** Members of a function declaration's `Schema` (ai.google.dev/api/caching#Schema). */
const GEMINI = new Set(
  (
    'type format title description nullable enum items minItems maxItems properties required minProperties ' +
    'maxProperties minLength maxLength pattern example anyOf propertyOrdering default minimum maximum'
  ).split(' '),
);
const GEMINI_TYPES = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object']);
/** Others are refused: only 'enum' and 'date-time' are supported for STRING type. */
const GEMINI_FORMATS = new Set(['enum', 'date-time']);

/** What Gemini refuses a declaration for. The object of all parameters may be empty: it is left out then. */
function refusedByGemini(schema: Schema, place: string): readonly string[] {
  const { type, format, properties, items, required = [] } = schema;
  const names = Object.keys(properties ?? {});
  return [
    ...Object.keys(schema)
      .filter((keyword) => !GEMINI.has(keyword))
      .map((keyword) => `${place}: ${keyword}`),
    ...(GEMINI_TYPES.has(type as string) ? [] : [`${place}: type ${JSON.stringify(type)}`]),
    ...(format === undefined || GEMINI_FORMATS.has(format as string) ? [] : [`${place}: format`]),
    ...(type === 'object' && names.length === 0 && place.includes('.') ? [`${place}: no properties`] : []),
    ...(type === 'array' && items === undefined ? [`${place}: no items`] : []),
    ...(type !== 'object' && (properties ?? schema.required) !== undefined ? [`${place}: properties`] : []),
    ...(schema.enum !== undefined && (type !== 'string' || !areTexts(schema.enum)) ? [`${place}: enum`] : []),
    ...required.filter((name) => !names.includes(name)).map((name) => `${place}: requires ${name}`),
    ...names.flatMap((name) => refusedByGemini(properties![name]!, `${place}.${name}`)),
    ...(items === undefined ? [] : refusedByGemini(items, `${place}.[]`)),
  ];
}

/** Keywords of a response's JSON Schema (ai.google.dev/api/caching#FunctionDeclaration, responseJsonSchema). */
const GEMINI_OUTPUT = new Set(
  (
    '$id $defs $ref $anchor type format title description enum items prefixItems minItems maxItems minimum maximum ' +
    'anyOf oneOf properties additionalProperties required'
  ).split(' '),
);

/** What Gemini does not read of the schema of an answer. */
function unreadByGemini(schema: Schema, place: string): readonly string[] {
  const { type, properties = {}, items, anyOf = [], additionalProperties: others, required = [] } = schema;
  const names = Object.keys(properties);
  return [
    ...Object.keys(schema)
      .filter((keyword) => !GEMINI_OUTPUT.has(keyword))
      .map((keyword) => `${place}: ${keyword}`),
    ...(Array.isArray(type) ? [`${place}: several types`] : []),
    ...(schema.enum !== undefined && !areTexts(schema.enum) ? [`${place}: enum`] : []),
    ...required.filter((name) => !names.includes(name)).map((name) => `${place}: requires ${name}`),
    ...Object.entries(properties).flatMap(([name, field]) => unreadByGemini(field, `${place}.${name}`)),
    ...[items, others, ...anyOf].flatMap((one) => (typeof one === 'object' ? unreadByGemini(one, `${place}.[]`) : [])),
  ];
}

const areTexts = (values: unknown) => Array.isArray(values) && values.every((value) => typeof value === 'string');

/** Keywords of structured outputs (platform.openai.com/docs/guides/structured-outputs, supported schemas). */
const STRICT = new Set(
  (
    'type description enum const anyOf properties required additionalProperties items format pattern multipleOf ' +
    'minimum maximum exclusiveMinimum exclusiveMaximum minItems maxItems $ref $defs'
  ).split(' '),
);
const STRICT_FORMATS = new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid']);

/** The schema as strict mode wants it: every object closed, every property required, and what was optional may be null. */
function strictly(schema: Schema): Record<string, unknown> {
  const { properties, items, required = [], ...rest } = schema;
  if (schema.type === 'object' && properties === undefined) throw new Error('an object of any members');
  const members = Object.entries(properties ?? {}).map(([name, field]) => {
    const strict = strictly(field);
    if (required.includes(name)) return [name, strict];
    const values = strict['enum'] as readonly unknown[] | undefined;
    return [name, { ...strict, type: [strict['type'], 'null'], ...(values && { enum: [...values, null] }) }];
  });
  return {
    ...rest,
    ...(items && { items: strictly(items) }),
    ...(schema.type === 'object' && {
      properties: Object.fromEntries(members),
      required: Object.keys(properties!),
      additionalProperties: false,
    }),
  };
}

type Strict = Readonly<Record<string, unknown>>;

/** What strict mode refuses of a converted schema. */
function refusedByStrict(schema: Strict, place: string, depth = 0): readonly string[] {
  const { type, format, items, properties } = schema as { [keyword: string]: any };
  return [
    ...Object.keys(schema)
      .filter((keyword) => !STRICT.has(keyword))
      .map((keyword) => `${place}: ${keyword}`),
    ...(type === undefined ? [`${place}: no type`] : []),
    ...(format === undefined || STRICT_FORMATS.has(format) ? [] : [`${place}: format`]),
    ...(depth > 5 ? [`${place}: too deep`] : []),
    ...Object.entries((properties ?? {}) as Record<string, Strict>).flatMap(([name, field]) =>
      refusedByStrict(field, `${place}.${name}`, depth + 1),
    ),
    ...(items === undefined ? [] : refusedByStrict(items, `${place}.[]`, depth)),
  ];
}

/** Arguments of any members, of which a host that closes every object can send the shown ones alone. */
function narrowedBy(tool: AnyTool): readonly string[] {
  const shape = inputOf(tool, 'mcp').shape as Record<string, z.ZodType>;
  return Object.entries(shape)
    .filter(([, field]) => {
      const { shown_as: shown, type: told } = field.meta() ?? {};
      if (shown !== undefined) return (shown as { type: string }).type === 'object';
      return told === undefined && isOpen(field);
    })
    .map(([name]) => `${tool.name}.${name}`);
}

function isOpen(field: z.ZodType): boolean {
  const { def } = unwrapped(field)._zod;
  return ['record', 'unknown', 'any'].includes(def.type);
}

describe('the inputs in tools/list', () => {
  it('are written in what Gemini takes', () => {
    expect(LISTED.length).toBeGreaterThan(70);
    expect(LISTED.flatMap(([name, schema]) => refusedByGemini(schema, name))).toEqual([]);
  });

  it('come with answers written in what Gemini reads, at the top and whole', () => {
    for (const { tool, listed, listedInFull } of listTools(toolsets)) {
      for (const text of [listed, listedInFull]) {
        const { outputSchema } = JSON.parse(text) as { outputSchema: Schema };
        expect(unreadByGemini(outputSchema, tool.name)).toEqual([]);
      }
    }
  });

  it('convert to what OpenAI takes in strict mode', () => {
    expect(LISTED.flatMap(([name, schema]) => refusedByStrict(strictly(schema), name))).toEqual([]);
    // All that is lost there: other members than those that are shown.
    expect(LISTED.flatMap(([, , tool]) => narrowedBy(tool))).toEqual([
      'connect_account.metadata',
      'test_webhook.payload',
    ]);
  });

  it.each([
    [{ type: 'object', properties: { a: { type: ['string', 'null'] } } }, 't.a: type ["string","null"]'],
    [{ type: 'object', properties: { a: { type: 'boolean', const: false } } }, 't.a: const'],
    [{ type: 'object', properties: { a: { type: 'string', format: 'binary' } } }, 't.a: format'],
    [{ type: 'object', properties: { a: { type: 'object' } } }, 't.a: no properties'],
    [{ type: 'object', properties: { a: {} } }, 't.a: type undefined'],
    [{ type: 'object', properties: { a: { type: 'array' } } }, 't.a: no items'],
    [{ type: 'object', properties: { a: { type: 'integer', enum: [1] } } }, 't.a: enum'],
    [{ type: 'object', properties: {}, additionalProperties: false }, 't: additionalProperties'],
  ])('%j would be seen', (schema, refusal) => expect(refusedByGemini(schema, 't')).toEqual([refusal]));
});
