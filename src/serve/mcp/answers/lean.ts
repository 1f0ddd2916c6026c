import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import type { AnyTool } from '#call/tool.ts';
import { isPrepared, prepared } from '#kernel/text/prepared.ts';
import { isPlain } from '../../plain.ts';
import { isRecord, jsonSchema, type JsonSchema } from '../../schema.ts';
import { withVisibleText } from './untrusted.ts';

type Trim = (value: unknown, around: unknown) => unknown;

/** How a member of a record is treated. */
type Rule = Readonly<{ repeats: boolean; inherits: boolean; stays: boolean; trim: Trim }>;

const asItIs: Trim = (value) => value;

/** Reduces a value that has no schema. */
const trimAny: Trim = (value) => {
  if (Array.isArray(value)) return value.map((item) => trimAny(item, value));
  if (!isPlain(value)) return value;
  const members = Object.entries(value).map(([name, given]) => [name, trimAny(given, value)] as const);
  return Object.fromEntries(members.filter(([, left]) => left !== null && !isEmpty(left)));
};

const known = new WeakMap<z.ZodObject, (answer: object) => object>();

/** The result of an operation, reduced for assistants. */
export function answerFor(
  { output, brief }: AnyTool,
  { detail }: Readonly<{ detail?: unknown }>,
  answer: object,
): object {
  if (brief === undefined || detail === 'full') return leanIn(output as z.ZodObject, answer);
  return leanIn(brief.output, brief.of(answer));
}

/** A refusal for assistants, including what was done before it failed. */
export const refusalFor = ({ output }: AnyTool, envelope: object): object => leanIn(output as z.ZodObject, envelope);

/** The reduction is prepared once per schema. */
function leanIn(output: z.ZodObject, answer: object): object {
  let lean = known.get(output);
  if (lean === undefined) known.set(output, (lean = leanBy(jsonSchema(output, 'output'))));
  return lean(answer);
}

/** Removes duplicates (`alias_of`), inherited fields (`inherits`), nulls, nested empty lists, invisible characters. */
export function leanBy(schema: JsonSchema): (answer: object) => object {
  const trim = trimOf(schema, true);
  const made = new WeakMap<object, object>();
  return (answer) => {
    if (!isPrepared(answer)) return trim(answer, undefined) as object;
    const lean = made.get(answer) ?? prepared(trim(answer, undefined) as object);
    made.set(answer, lean);
    return lean;
  };
}

function trimOf(schema: JsonSchema, isTop = false): Trim {
  const trim = shapeOf(schema, isTop);
  return schema['untrusted'] === true ? (value, around) => withVisibleText(trim(value, around)) : trim;
}

function shapeOf(schema: JsonSchema, isTop: boolean): Trim {
  const { items, properties, additionalProperties } = schema;
  if (isRecord(items)) {
    const trim = trimOf(items);
    return (value, around) => (Array.isArray(value) ? value.map((item) => trim(item, around)) : value);
  }
  if (![schema['type']].flat().includes('object')) return asItIs;
  const ruleOf = (field: JsonSchema): Rule => ({
    repeats: field['alias_of'] !== undefined,
    inherits: (schema['inherits'] ?? field['inherits']) === true,
    stays: isTop && field['minor'] === undefined,
    trim: trimOf(field),
  });
  const rules = new Map(
    Object.entries((properties ?? {}) as Record<string, JsonSchema>).map(([name, field]) => [name, ruleOf(field)]),
  );
  const others = isRecord(additionalProperties) ? additionalProperties : {};
  const trimOther = others === additionalProperties ? trimOf(others) : trimAny;
  const rest = { ...ruleOf(others), stays: false, trim: trimOther };
  return (value, around) => {
    if (!isPlain(value)) return value;
    const members = Object.entries(value).flatMap(([name, given]) => {
      const { repeats, inherits, stays, trim } = rules.get(name) ?? rest;
      if (repeats) return [];
      if (inherits && isPlain(around) && (around[name] ?? null) !== null) {
        const own = differenceOf(given, around[name]);
        return own === undefined ? [] : [[name, own] as const];
      }
      if (given === null) return [];
      // Members of a map inherit from the record that contains the map.
      const left = trim(given, rules.size > 0 ? value : around);
      return isEmpty(left) && !stays ? [] : [[name, left] as const];
    });
    return Object.fromEntries(members);
  };
}

function differenceOf(value: unknown, inherited: unknown): unknown {
  if (isDeepStrictEqual(value, inherited)) return undefined;
  if (!isPlain(value) || !isPlain(inherited)) return value;
  const members = Object.entries(value).map(([name, given]) => [name, differenceOf(given, inherited[name])] as const);
  return Object.fromEntries(members.filter(([, own]) => own !== undefined));
}

const isEmpty = (value: unknown): boolean =>
  Array.isArray(value) ? value.length === 0 : isPlain(value) && Object.keys(value).length === 0;
