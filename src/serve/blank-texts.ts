import { z } from 'zod';
import { asSeen } from '#kernel/text/blank.ts';
import { isPlain } from './plain.ts';
import { unwrapped } from './unwrap.ts';

/** Empties invisible texts at any depth, so that required ones are refused. Untyped fields are left unchanged. */
export function withoutBlankTexts(schema: z.ZodObject, input: unknown): unknown {
  if (!isPlain(input) || !holdsBlank(input)) return input;
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => [name, isAnything(schema, name) ? value : emptied(value)]),
  );
}

/** The fields themselves trim spaces. */
const isBlank = (text: string) => asSeen(text) === '' && text.trim() !== '';

function isAnything({ shape }: z.ZodObject, name: string): boolean {
  const field = Object.hasOwn(shape, name) ? shape[name]! : undefined;
  if (field === undefined || z.globalRegistry.get(field)?.['type'] !== undefined) return false;
  return unwrapped(field)._zod.def.type === 'unknown';
}

function holdsBlank(value: unknown): boolean {
  if (typeof value === 'string') return isBlank(value);
  if (Array.isArray(value)) return value.some(holdsBlank);
  return isPlain(value) && Object.values(value).some(holdsBlank);
}

function emptied(value: unknown): unknown {
  if (typeof value === 'string') return isBlank(value) ? '' : value;
  if (Array.isArray(value)) return value.map(emptied);
  if (!isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, emptied(inner)]));
}
