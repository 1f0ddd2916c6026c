import { z } from 'zod';

/** A JSON Schema (2020-12) as plain data. */
export type JsonSchema = { [keyword: string]: unknown };

/** The JSON Schema of a zod type's `input` or `output`, without unnecessary keywords. */
export function jsonSchema(type: z.ZodType, io: 'input' | 'output'): JsonSchema {
  return slim(z.toJSONSchema(type, { io, unrepresentable: 'any' }));
}

const UNBOUNDED = Number.MAX_SAFE_INTEGER;
/** Keywords that map names to schemas. These names are never dropped. */
const MAPS: ReadonlySet<string> = new Set(['properties', '$defs', 'patternProperties', 'dependentSchemas']);
/** Keywords whose value is data, not a schema. */
const DATA: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples', 'required']);

/** Drops `$schema`, patterns of named formats, limits of safe integers, and empty `additionalProperties`. */
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

/** Writes "this or null" as a list of types, which is shorter and which strict hosts accept. */
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

/** Keywords that both Gemini and OpenAI's strict mode understand in tool inputs. */
const SPOKEN: ReadonlySet<string> = new Set(['enum', 'format', 'required']);

/** The only text format that Gemini accepts; the server itself checks the others. */
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

/** Whether a description only repeats the instructions or the name. */
const saysNothing = (name: string, description: string): boolean =>
  name === 'limit' ||
  name === 'cursor' ||
  description.toLowerCase() === `${name.replaceAll('_', ' ')}.` ||
  description === `Only this ${name.replace(/_id$/, '')}.` ||
  (name.endsWith('_id') && /^Id of (?:the|an?)(?: \w+){1,2}\.$/.test(description));

/** The top level of a record, to save tokens: no aliases, no `minor` fields, and nothing below lists and objects. */
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
  // Null is left out.
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

/** Whether a value can be a schema, judging only by its JSON type. */
export function isRecord(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
