import type { JsonSchema } from '../../schema.ts';

/** An input, or a member of a result. Nested members follow with their path, as in `media[].source`. */
export type Field = Readonly<{
  path: string;
  type: string;
  isRequired: boolean;
  /** Limits, default and allowed values, as words. */
  rules: readonly string[];
  meaning: string;
}>;

/** Deeper members appear only in the OpenAPI document. */
const DEEPEST = 4;

/** The fields of an object's schema. Outer fields come before their members. */
export function fieldsOf(schema: JsonSchema, prefix = '', depth = 0): readonly Field[] {
  const required = new Set((schema['required'] ?? []) as string[]);
  return Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>).flatMap(([name, field]) => {
    const path = `${prefix}${name}`;
    const alias = field['alias_of'] as string | undefined;
    const own: Field = {
      path,
      type: typeOf(field),
      isRequired: required.has(name),
      rules: rulesOf(field),
      meaning: alias === undefined ? meaningOf(name, field) : `Another name of ${alias}.`,
    };
    return depth === DEEPEST || alias !== undefined ? [own] : [own, ...membersOf(field, path, depth + 1)];
  });
}

/** What a field is described as, unless that only repeats its name. */
function meaningOf(name: string, { description = '' }: JsonSchema): string {
  const words = description as string;
  return words.toLowerCase() === `${name.replaceAll('_', ' ')}.` ? '' : words;
}

function membersOf(field: JsonSchema, path: string, depth: number): readonly Field[] {
  const items = field['items'] as JsonSchema | undefined;
  if (items !== undefined) return membersOf(items, `${path}[]`, depth);
  return fieldsOf(field, `${path}.`, depth);
}

function typeOf({ type, items, format, const: only, additionalProperties }: JsonSchema): string {
  if (items !== undefined) return `list of ${typeOf(items as JsonSchema)}`;
  const names = [type ?? (only === undefined ? 'any' : typeof only)]
    .flat()
    .filter((name) => name !== 'null') as string[];
  if (format === 'date-time') return 'time';
  if (format === 'uri') return 'URL';
  const isMap = names.includes('object') && typeof additionalProperties === 'object';
  return isMap ? 'object with names of your own' : names.join(' or ');
}

function rulesOf(schema: JsonSchema): readonly string[] {
  const items = (schema['items'] ?? {}) as JsonSchema;
  const values = (schema['enum'] ?? items['enum']) as unknown[] | undefined;
  const only = schema['const'];
  const fallback = schema['default'];
  return [
    ...(values === undefined
      ? []
      : [
          `one of ${values
            .filter((value) => value !== null)
            .map(String)
            .join(', ')}`,
        ]),
    ...(only === undefined ? [] : [`always ${JSON.stringify(only)}`]),
    ...range(schema['minimum'], schema['maximum'], ''),
    ...range(schema['minLength'], schema['maxLength'], 'characters'),
    ...range(schema['minItems'], schema['maxItems'], 'items'),
    ...range(items['minLength'], items['maxLength'], 'characters each'),
    ...(schema['pattern'] === undefined ? [] : [`matches ${schema['pattern'] as string}`]),
    ...(fallback === undefined
      ? []
      : [`default ${typeof fallback === 'string' ? fallback : JSON.stringify(fallback)}`]),
    ...(schema['deprecated'] === true ? ['deprecated'] : []),
    ...(isNullable(schema) ? ['may be null'] : []),
  ];
}

const isNullable = ({ type }: JsonSchema): boolean => Array.isArray(type) && type.includes('null');

function range(least: unknown, most: unknown, unit: string): readonly string[] {
  const words = [least ?? undefined, most ?? undefined].map((bound) =>
    bound === undefined ? '' : numbers.format(bound as number),
  );
  const [from = '', to = ''] = words;
  const withUnit = unit && ` ${unit}`;
  if (from !== '' && to !== '') return [`${from} to ${to}${withUnit}`];
  if (to !== '') return [`at most ${to}${withUnit}`];
  return from === '' ? [] : [`at least ${from}${withUnit}`];
}

const numbers = new Intl.NumberFormat('en-US');
