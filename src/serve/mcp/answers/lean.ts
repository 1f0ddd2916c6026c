import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import type { AnyTool } from '#call/tool.ts';
import { isPrepared, prepared } from '#kernel/text/prepared.ts';
import { isPlain } from '../../plain.ts';
import { isRecord, jsonSchema, type JsonSchema } from '../../schema.ts';

type Trim = (value: unknown, around: unknown) => unknown;

/** What becomes of a member of a record. */
type Rule = Readonly<{ repeats: boolean; inherits: boolean; stays: boolean; trim: Trim }>;

const asItIs: Trim = (value) => value;
const known = new WeakMap<z.ZodObject, (answer: object) => object>();

/** The answer of an operation as an assistant gets it that sent this input. */
export function answerFor(
  { output, brief }: AnyTool,
  { detail }: Readonly<{ detail?: unknown }>,
  answer: object,
): object {
  if (brief === undefined || detail === 'full') return leanIn(output as z.ZodObject, answer);
  return leanIn(brief.output, brief.of(answer));
}

/** A refusal as an assistant gets it; what was done all the same stands beside the error. */
export const refusalFor = ({ output }: AnyTool, envelope: object): object => leanIn(output as z.ZodObject, envelope);

/** What is left out of answers of a schema is worked out once. */
function leanIn(output: z.ZodObject, answer: object): object {
  let lean = known.get(output);
  if (lean === undefined) known.set(output, (lean = leanBy(jsonSchema(output, 'output'))));
  return lean(answer);
}

/**
 * Makes what leaves out of answers all that repeats another field (`.meta({ alias_of })`) or the one of its name in the
 * record around (`.meta({ inherits })`), what is null, and empty lists and maps. One that is shown at the top of an answer
 * stays, though empty: that there is nothing is the answer then.
 */
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
  const rest = { ...ruleOf(isRecord(additionalProperties) ? additionalProperties : {}), stays: false };
  return (value, around) => {
    if (!isPlain(value)) return value;
    const members = Object.entries(value).flatMap(([name, given]) => {
      const { repeats, inherits, stays, trim } = rules.get(name) ?? rest;
      if (given === null || repeats || (inherits && isInherited(name, given, around))) return [];
      // What a map holds belongs to the record around the map.
      const left = trim(given, rules.size > 0 ? value : around);
      return isEmpty(left) && !stays ? [] : [[name, left] as const];
    });
    return Object.fromEntries(members);
  };
}

const isInherited = (name: string, given: unknown, around: unknown): boolean =>
  isPlain(around) && isDeepStrictEqual(given, around[name]);

const isEmpty = (value: unknown): boolean =>
  Array.isArray(value) ? value.length === 0 : isPlain(value) && Object.keys(value).length === 0;
