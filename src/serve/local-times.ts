import { z } from 'zod';
import { localToUtc } from '#kernel/text/local-time.ts';
import { unwrapped } from './unwrap.ts';

type Schema = z.core.$ZodType;
type Read = (value: unknown, timezone: string) => unknown;

const readers = new WeakMap<Schema, { read: Read | undefined }>();

/** Adds the timezone's offset to times that have none; other values stay unchanged. */
export function withOffsets(schema: Schema, input: unknown, timezone: string): unknown {
  let known = readers.get(schema);
  if (known === undefined) readers.set(schema, (known = { read: readerOf(schema) }));
  return known.read === undefined ? input : known.read(input, timezone);
}

/** Returns a converter for the times in a value, or undefined if the schema has none. */
function readerOf(schema: Schema): Read | undefined {
  const inner = unwrapped(schema);
  const { def } = inner._zod;
  if (def.type === 'string') return isInstant(inner) ? readText : undefined;
  if (def.type === 'array') {
    const read = readerOf((def as z.core.$ZodArrayDef).element);
    return read && ((value, timezone) => (Array.isArray(value) ? value.map((one) => read(one, timezone)) : value));
  }
  return def.type === 'object' ? readerOfFields((def as z.core.$ZodObjectDef).shape) : undefined;
}

function readerOfFields(shape: Readonly<Record<string, Schema>>): Read | undefined {
  const fields = Object.entries(shape).flatMap(([name, field]) => {
    const read = readerOf(field);
    return read ? [{ name, read }] : [];
  });
  if (fields.length === 0) return undefined;
  return (value, timezone) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const given = value as Readonly<Record<string, unknown>>;
    const named = fields.filter(({ name }) => Object.hasOwn(given, name));
    return { ...given, ...Object.fromEntries(named.map(({ name, read }) => [name, read(given[name], timezone)])) };
  };
}

const readText: Read = (value, timezone) => (typeof value === 'string' ? localToUtc(value, timezone) : value);

function isInstant(schema: Schema): boolean {
  return z.globalRegistry.get(schema)?.['format'] === 'date-time';
}
