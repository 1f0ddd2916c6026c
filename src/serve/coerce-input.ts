import type { z } from 'zod';
import { JsonError, BODY_LIMITS, parseJson, parseJsonField } from '#kernel/text/json.ts';
import { isPlain } from './plain.ts';
import { jsonSchema, type JsonSchema } from './schema.ts';

type Read = (value: unknown) => unknown;

type Reader = Readonly<{
  /** Whether a value already has this type. */
  suits(value: unknown): boolean;
  /** Converts a value; returns it unchanged if its meaning is unclear. */
  read: Read;
}>;

const readers = new WeakMap<z.ZodObject, Reader>();

/** Converts text to numbers, booleans, lists and objects where the schema allows only one reading. */
export function coerceInput(schema: z.ZodObject, sent: unknown): unknown {
  let reader = readers.get(schema);
  if (reader === undefined) readers.set(schema, (reader = readerOf(jsonSchema(schema, 'input'))));
  return reader.read(sent);
}

function readerOf(schema: JsonSchema): Reader {
  const { type, anyOf, enum: values = 'const' in schema ? [schema['const']] : undefined } = schema;
  if (Array.isArray(values)) return readerOfValues(values);
  if (Array.isArray(anyOf)) return readerOfChoice((anyOf as JsonSchema[]).map(readerOf));
  if (Array.isArray(type)) return readerOfChoice(type.map((one: unknown) => readerOf({ ...schema, type: one })));
  switch (type) {
    case 'integer':
    case 'number':
      return { suits: (value) => typeof value === 'number', read: fromText(numberIn) };
    case 'boolean':
      return { suits: (value) => typeof value === 'boolean', read: fromText(booleanIn) };
    case 'array':
      return readerOfList(readerOf((schema['items'] ?? {}) as JsonSchema));
    case 'object':
      return readerOfObject(schema);
    case 'string':
      return { suits: (value) => typeof value === 'string', read: asItCame };
    case 'null':
      return { suits: (value) => value === null, read: asItCame };
    default:
      return ANYTHING;
  }
}

const asItCame: Read = (value) => value;
const ANYTHING: Reader = { suits: () => true, read: asItCame };

const fromText =
  (read: (text: string) => unknown): Read =>
  (value) =>
    typeof value === 'string' ? read(value) : value;

const NUMBER = /^-?\d+(?:\.\d+)?$/;

function numberIn(text: string): unknown {
  const number = Number(text);
  return NUMBER.test(text) && Math.abs(number) <= Number.MAX_SAFE_INTEGER ? number : text;
}

function booleanIn(text: string): unknown {
  const word = text.toLowerCase();
  return word === 'true' || word === 'false' ? word === 'true' : text;
}

function readerOfValues(values: readonly unknown[]): Reader {
  const suits = (value: unknown) => values.includes(value);
  const others = values.filter((value) => typeof value !== 'string');
  const byText = new Map(others.map((value) => [String(value), value]));
  return { suits, read: fromText((text) => (suits(text) ? text : (byText.get(text.toLowerCase()) ?? text))) };
}

/** The value of a JSON text in brackets, or the text itself if it is not valid JSON. */
function jsonIn(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return parseJson(text, BODY_LIMITS);
  } catch (error) {
    if (error instanceof JsonError) return text;
    throw error;
  }
}

/** A single name, not a list. */
const NAME = /^[^\s,[\]{}]+$/;

function readerOfList(item: Reader): Reader {
  const isOne = (value: unknown) => item.suits(value) && (typeof value !== 'string' || NAME.test(value));
  return {
    suits: Array.isArray,
    read(value) {
      if (value === null || value === undefined) return value;
      const content = typeof value === 'string' ? jsonIn(value) : value;
      if (!Array.isArray(content)) {
        const one = item.read(content);
        return isOne(one) ? [one] : value;
      }
      const items = content.map(item.read);
      return content === value || items.every(item.suits) ? items : value;
    },
  };
}

function readerOfObject({ properties = {}, additionalProperties }: JsonSchema): Reader {
  const fields = new Map(
    Object.entries(properties as Record<string, JsonSchema>).map(([name, field]) => [name, readerOfField(name, field)]),
  );
  const { read: readOther } = isPlain(additionalProperties) ? readerOf(additionalProperties) : ANYTHING;
  return {
    suits: isPlain,
    read(value) {
      const content = typeof value === 'string' ? jsonIn(value) : value;
      if (!isPlain(content)) return value;
      return Object.fromEntries(
        Object.entries(content).map(([name, inner]) => [name, (fields.get(name) ?? readOther)(inner)]),
      );
    },
  };
}

/** Refuses a field documented as JSON text, by its name, if the JSON is invalid. */
function readerOfField(name: string, field: JsonSchema): Read {
  const { read } = readerOf(field);
  const jsonType = field['shown_as'] as JsonSchema | undefined;
  if (jsonType?.['type'] !== 'string') return read;
  return (value) => read(typeof value === 'string' ? parseJsonField(value, name) : value);
}

/** Keeps a value that fits an option; otherwise uses the only option that can convert it. */
function readerOfChoice(options: readonly Reader[]): Reader {
  const suits = (value: unknown) => options.some((option) => option.suits(value));
  return {
    suits,
    read(value) {
      const suited = options.filter((option) => option.suits(value));
      if (suited.length > 0) return suited.length === 1 ? suited[0]!.read(value) : value;
      const read = options.map((option) => ({ option, result: option.read(value) }));
      const clear = read.filter(({ option, result }) => option.suits(result));
      return clear.length === 1 ? clear[0]!.result : value;
    },
  };
}
