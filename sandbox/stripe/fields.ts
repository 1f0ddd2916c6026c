/** Parses names with brackets: `items[0][price]=p` becomes `{ items: [{ price: 'p' }] }`. */
import { invalid } from './errors.ts';

export type Fields = Readonly<Record<string, unknown>>;

const DEEPEST = 8;

export function fieldsOf(values: Fields): Fields {
  const root: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const [name, value] of Object.entries(values)) {
    const [first = '', ...rest] = name.split(/[[\]]+/).filter((part, at) => part !== '' || at === 0);
    if (rest.length > DEEPEST) throw invalid('Parameters are nested too deeply.', name);
    put(root, [first, ...rest], value);
  }
  return listed(root) as Fields;
}

function put(into: Record<string, unknown>, [first = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    into[first] = value;
    return;
  }
  const known = into[first];
  const next = (typeof known === 'object' && known !== null ? known : Object.create(null)) as Record<string, unknown>;
  into[first] = next;
  put(next, rest, value);
}

/** Turns objects whose names are all numbers into lists. */
function listed(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, one]) => [name, listed(one)] as const);
  const isList = entries.length > 0 && entries.every(([name]) => /^\d{1,4}$/.test(name));
  if (!isList) return Object.fromEntries(entries);
  return entries.toSorted(([a], [b]) => Number(a) - Number(b)).map(([, one]) => one);
}

export const textIn = (fields: Fields, name: string): string | undefined => {
  const value = fields[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

export function needed(fields: Fields, name: string): string {
  const value = textIn(fields, name);
  if (value === undefined) throw invalid(`Missing required param: ${name}.`, name, 'parameter_missing');
  return value;
}

export const fieldsIn = (fields: Fields, name: string): Fields => {
  const value = fields[name];
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
};

export const listIn = (fields: Fields, name: string): readonly Fields[] => {
  const value = fields[name];
  return Array.isArray(value) ? (value as Fields[]) : [];
};

export const metadataIn = (fields: Fields, name = 'metadata'): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(fieldsIn(fields, name)).map(([key, value]) => [key, String(value)]));
