import type { z } from 'zod';
import { namesForAssistants } from '#call/input.ts';
import { fail } from '#kernel/errors.ts';
import { nearestNames } from '#kernel/text/nearest.ts';
import { unwrapped } from './unwrap.ts';

type Schema = z.core.$ZodType;
type Path = readonly (string | number)[];
type Unknown = Readonly<{ path: Path; names: readonly string[] }>;

/** The allowed names of an object or of a list's objects; undefined if it has no names or allows any. */
type Names = Readonly<{ fields: ReadonlyMap<string, Inner>; open: boolean }>;
/** The names inside an object, which may depend on its other fields. */
type Inner = Names | ((around: Readonly<Record<string, unknown>>) => Names) | undefined;

const MAX_SHOWN = 3;
const MAX_SHOWN_LENGTH = 64;

const known = new WeakMap<Schema, Names>();

/** Refuses unknown names at any depth, except in open objects. */
export function refuseUnknownNames(tool: string, schema: z.ZodObject, input: unknown): void {
  let names = known.get(schema);
  if (names === undefined) known.set(schema, (names = namesOf(schema) as Names));
  const unknown: Unknown[] = [];
  collect(names, input, [], unknown);
  if (unknown.length === 0) return;
  fail('validation.field_invalid', {
    message: `Nothing was done: ${unknown.map((one) => describeUnknown(tool, one)).join(' ')}`,
    meta: { field: spelt(unknown[0]!.path) },
  });
}

function namesOf(schema: Schema): Inner {
  const namesFor = namesForAssistants(schema);
  if (namesFor)
    return (around) => ({ fields: new Map(namesFor(around).map((name) => [name, undefined])), open: false });
  const { def } = unwrapped(schema)._zod;
  if (def.type === 'array') return namesOf((def as z.core.$ZodArrayDef).element);
  if (def.type !== 'object') return undefined;
  const { shape, catchall } = def as z.core.$ZodObjectDef;
  const fields = new Map(Object.entries(shape).map(([name, field]) => [name, namesOf(field)]));
  return { fields, open: catchall !== undefined };
}

function collect(names: Names, value: unknown, path: Path, found: Unknown[]): void {
  const inner = Array.isArray(value) ? value.entries() : Object.entries(value ?? {});
  for (const [key, item] of inner) {
    if (found.length === MAX_SHOWN) return;
    if (item === null) continue;
    const inside = Array.isArray(value) ? names : names.fields.get(String(key));
    const below = typeof inside === 'function' ? inside(value as Record<string, unknown>) : inside;
    if (below !== undefined) {
      if (typeof item === 'object') collect(below, item, [...path, key], found);
    } else if (!names.open && !names.fields.has(String(key))) {
      found.push({ path: [...path, key], names: [...names.fields.keys()] });
    }
  }
}

function describeUnknown(tool: string, { path, names }: Unknown): string {
  const near = nearestNames(String(path.at(-1)), names).map((name) => `\`${name}\``);
  const wrong = `unknown argument \`${spelt(path)}\``;
  if (near.length > 0) return `${wrong}; did you mean ${near.join(' or ')}?`;
  const where = path.length === 1 ? tool : `\`${spelt(path.slice(0, -1))}\``;
  return `${wrong}; ${where} takes ${names.join(', ') || 'no arguments'}.`;
}

/** A path that is safe to display, because its names come from callers. */
function spelt(path: Path): string {
  const text = path.join('.').replaceAll(/[\p{C}`]/gu, '?');
  return text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}…` : text;
}
