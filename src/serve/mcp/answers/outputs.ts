import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { isHoldable, type AnyTool } from '#call/tool.ts';
import { isRecord, jsonSchema, topLevel, type JsonSchema } from '../../schema.ts';

/** How much the tool list says about results: their top-level fields, or everything. */
export type Outputs = 'short' | 'full';

type Fields = Readonly<Record<string, JsonSchema>>;

/** The schema of results for assistants. */
export function outputSchemaOf(tool: AnyTool, outputs: Outputs): JsonSchema {
  const { output, brief } = tool;
  const whole = jsonSchema(output as z.ZodObject, 'output');
  if (outputs === 'short') return topLevel(whole);
  const lean = leanSchema(whole, true);
  const full = brief === undefined ? lean : eitherOf(leanSchema(jsonSchema(brief.output, 'output'), true), lean);
  return isHoldable(tool) ? orHeld(full) : full;
}

/** Also allows the result of a call that waits for approval, which has other fields and a status of its own. */
function orHeld({ required: _required, properties, ...rest }: JsonSchema): JsonSchema {
  const { status, ...others } = properties as Fields;
  const { enum: _values, ...anyStatus } = status ?? {};
  return { ...rest, properties: { ...others, ...(status && { status: anyStatus }) } };
}

/** The schema of reduced results: no nulls or duplicates, and fields that may be removed are optional. */
export function leanSchema(schema: JsonSchema, isTop = false): JsonSchema {
  const {
    alias_of: _alias,
    minor: _minor,
    untrusted: _untrusted,
    component: _name,
    const: only,
    inherits,
    ...members
  } = schema;
  const { properties, required = [], items, ...rest } = members;
  const fields = Object.entries((properties ?? {}) as Fields)
    .filter(([, field]) => field['alias_of'] === undefined)
    .map(([name, field]) => ({ name, field, lean: leanSchema(field) }));
  const stays = (field: JsonSchema) => isTop && field['minor'] === undefined;
  const isSure = ({ name, field, lean }: (typeof fields)[number]) =>
    (required as readonly string[]).includes(name) &&
    !mayBeNull(field) &&
    (inherits ?? field['inherits']) === undefined &&
    (stays(field) || !mayBeEmpty(lean));
  const sure = fields.filter(isSure).map(({ name }) => name);
  const others = rest['additionalProperties'];
  return {
    ...rest,
    // Some hosts do not support `const`.
    ...(typeof only === 'string' && { enum: [only] }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(fields.map(({ name, lean }) => [name, withoutNull(lean)])),
    }),
    ...(sure.length > 0 && { required: sure }),
    ...(isRecord(items) && { items: leanSchema(items) }),
    ...(isRecord(others) && { additionalProperties: withoutNull(leanSchema(others)) }),
  };
}

const typesOf = ({ type }: JsonSchema): readonly unknown[] => [type ?? []].flat();

const mayBeNull = (field: JsonSchema): boolean =>
  typesOf(field).includes('null') || (typesOf(field).length === 0 && field['const'] === undefined);

/** Whether a list, map or record may become empty. */
const mayBeEmpty = (lean: JsonSchema): boolean =>
  typesOf(lean).includes('array') || (typesOf(lean).includes('object') && lean['required'] === undefined);

function withoutNull(field: JsonSchema): JsonSchema {
  const types = typesOf(field).filter((type) => type !== 'null');
  if (types.length === 0) return field;
  const { type: _types, enum: values, ...rest } = field;
  return {
    ...rest,
    // Some hosts support only one type per field.
    ...(types.length === 1 ? { type: types[0] } : { anyOf: types.map((type) => ({ type })) }),
    ...(Array.isArray(values) && { enum: (values as unknown[]).filter((value) => value !== null) }),
  };
}

/** A schema that fits both forms: records have the fields of both, lists the items of either. */
function eitherOf(one: JsonSchema, other: JsonSchema): JsonSchema {
  if (isDeepStrictEqual(one, other)) return one;
  if (isRecord(one['items']) && isRecord(other['items'])) {
    return { ...other, items: { anyOf: [one['items'], other['items']] } };
  }
  if (!isRecord(one['properties']) || !isRecord(other['properties'])) return { anyOf: [one, other] };
  const [fields, others] = [one['properties'] as Fields, other['properties'] as Fields];
  const shared = Object.entries(fields).map(([name, field]) => {
    return [name, others[name] === undefined ? field : eitherOf(field, others[name])] as const;
  });
  const required = ((other['required'] ?? []) as string[]).filter((name) =>
    (one['required'] as string[]).includes(name),
  );
  return { ...other, properties: { ...others, ...Object.fromEntries(shared) }, required };
}
