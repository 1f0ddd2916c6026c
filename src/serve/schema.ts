import { z } from 'zod';

/** A JSON Schema (2020-12) as plain data. */
export type JsonSchema = { [keyword: string]: unknown };

/** The JSON Schema of a zod type's `input` or `output`, without superfluous keywords. */
export function jsonSchema(type: z.ZodType, io: 'input' | 'output'): JsonSchema {
  return slim(z.toJSONSchema(type, { io, unrepresentable: 'any' }));
}

const UNBOUNDED = Number.MAX_SAFE_INTEGER;
/** Keywords with maps from names to schemas: these names are never dropped. */
const MAPS: ReadonlySet<string> = new Set(['properties', '$defs', 'patternProperties', 'dependentSchemas']);
/** Keywords whose value is data, not a schema. */
const DATA: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples', 'required']);

/** Drops `$schema`, patterns of named formats, bounds of safe integers, and empty rests. */
function slim(schema: JsonSchema): JsonSchema {
  const lean: JsonSchema = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (isNoise(keyword, value, schema)) continue;
    const slim = () => (MAPS.has(keyword) ? mapValues(value as JsonSchema) : slimValue(value));
    lean[keyword] = DATA.has(keyword) ? value : slim();
  }
  return withoutNullBranch(lean);
}

function isNoise(keyword: string, value: unknown, schema: JsonSchema): boolean {
  switch (keyword) {
    case '$schema':
    case 'propertyNames':
      return true;
    case 'pattern':
      return schema['format'] !== undefined;
    case 'minimum':
      return value === -UNBOUNDED;
    case 'maximum':
      return value === UNBOUNDED;
    case 'additionalProperties':
      return isRecord(value) && Object.keys(value).length === 0;
    default:
      return false;
  }
}

function mapValues(map: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(map).map(([name, value]) => [name, slimValue(value)]));
}

function slimValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(slimValue);
  return isRecord(value) ? slim(value) : value;
}

/** Writes "this or null" as a list of types, which is shorter and which strict hosts read. */
function withoutNullBranch(schema: JsonSchema): JsonSchema {
  const branches = schema['anyOf'];
  if (!Array.isArray(branches) || branches.length !== 2) return schema;
  const other = branches.find((branch) => isRecord(branch) && branch['type'] !== 'null') as JsonSchema | undefined;
  if (other === undefined || !branches.some((branch) => isRecord(branch) && branch['type'] === 'null')) return schema;
  if (typeof other['type'] !== 'string' || other['const'] !== undefined) return schema;
  const { anyOf: _, ...rest } = schema;
  const values = other['enum'];
  return {
    ...rest,
    ...other,
    type: [other['type'], 'null'],
    ...(Array.isArray(values) && { enum: [...(values as unknown[]), null] }),
  };
}

/** Keywords of tool inputs that Gemini and OpenAI's strict mode understand. */
const SPOKEN: ReadonlySet<string> = new Set(['enum', 'format', 'required']);

/** The only text format that Gemini accepts; the server checks others. */
const FORMAT = 'date-time';

/** A tool's input for models: without nulls and `minor` parts, and with `shown_as` for open objects. */
export function brief(schema: JsonSchema): JsonSchema {
  const { type, const: only, ...rest } = (schema['shown_as'] ?? schema) as JsonSchema;
  const spoken = Object.fromEntries(Object.entries(rest).filter(([keyword]) => SPOKEN.has(keyword)));
  const { enum: values = typeof only === 'string' ? [only] : undefined, format, ...others } = spoken;
  return {
    type: Array.isArray(type) ? type.find((one) => one !== 'null') : type,
    ...others,
    ...(schema['description'] !== undefined && { description: schema['description'] }),
    ...(format === FORMAT && { format }),
    ...(Array.isArray(values) && { enum: values.filter((value) => value !== null) }),
    ...(isRecord(rest['items']) && { items: brief(rest['items']) }),
    ...(isRecord(rest['properties']) && { properties: briefFields(rest['properties']) }),
  };
}

const briefFields = (properties: JsonSchema): JsonSchema =>
  Object.fromEntries(
    Object.entries(properties as Record<string, JsonSchema>).flatMap(([name, field]) => {
      if (field['minor'] !== undefined) return [];
      const { description, ...rest } = brief(field);
      const isTelling = typeof description === 'string' && !saysNothing(name, description);
      return [[name, isTelling ? { ...rest, description } : rest]];
    }),
  );

/** Descriptions that repeat the instructions or the name. */
const saysNothing = (name: string, description: string): boolean =>
  name === 'limit' ||
  name === 'cursor' ||
  description.toLowerCase() === `${name.replaceAll('_', ' ')}.` ||
  description === `Only this ${name.replace(/_id$/, '')}.` ||
  (name.endsWith('_id') && /^Id of (?:the|an?)(?: \w+){1,2}\.$/.test(description));

/** A record's top level, to save tokens: typed scalars, bare lists and objects, without aliases and `minor` fields. */
export function topLevel(schema: JsonSchema): JsonSchema {
  const fields = Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>);
  const telling = fields.filter(([, field]) => field['alias_of'] === undefined && field['minor'] === undefined);
  const properties = Object.fromEntries(telling.map(([name, field]) => [name, bare(field, schema)]));
  const rest = schema['additionalProperties'];
  return {
    type: 'object',
    properties,
    ...('id' in properties && (schema['required'] as string[] | undefined)?.includes('id') && { required: ['id'] }),
    ...(fields.length === 0 && isRecord(rest) && { additionalProperties: bare(rest, schema) }),
  };
}

function bare(field: JsonSchema, root: JsonSchema): JsonSchema {
  // Nulls are omitted.
  const unique = [...new Set(typesOf(field, root)?.filter((type) => type !== 'null'))];
  if (unique.length === 0) return {};
  return { type: unique.length === 1 ? unique[0] : unique };
}

function typesOf(field: JsonSchema, root: JsonSchema): string[] | undefined {
  if (typeof field['type'] === 'string') return [field['type']];
  if (Array.isArray(field['type'])) return field['type'] as string[];
  if (field['const'] !== undefined) return [typeof field['const']];
  if (typeof field['$ref'] === 'string') {
    const name = field['$ref'].replace('#/$defs/', '');
    const target = (root['$defs'] as Record<string, JsonSchema> | undefined)?.[name];
    return target === undefined ? undefined : typesOf(target, root);
  }
  const branches = (field['anyOf'] ?? field['oneOf']) as JsonSchema[] | undefined;
  const types = branches?.map((branch) => typesOf(branch, root));
  return types?.every((list) => list !== undefined) ? types.flat() : undefined;
}

/** Whether a value is a schema, as far as a JSON value's type tells. */
export function isRecord(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
