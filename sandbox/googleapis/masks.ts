/** Field masks, which name the parts to read or write in either spelling of JSON names. */
import { isObject } from '../kit/api/checks.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The paths in a mask, spelled as in JSON. */
export const pathsIn = (mask = ''): readonly string[] =>
  mask
    .split(',')
    .map((path) => path.trim().replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()))
    .filter(Boolean);

export function masked(thing: Fields, paths: readonly string[]): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const path of paths) {
    const [first = '', ...rest] = path.split('.');
    const value = Object.hasOwn(thing, first) ? thing[first] : undefined;
    if (value === undefined) continue;
    const part = rest.length > 0 && isObject(value) ? masked(value, [rest.join('.')]) : value;
    found[first] =
      Object.hasOwn(found, first) && isObject(found[first]) && isObject(part) ? { ...found[first], ...part } : part;
  }
  return found;
}

/** Copies the named parts from one object to another. Parts that are missing are removed. */
export function merged(old: Fields, given: Fields, paths: readonly string[]): Fields {
  const fields: Record<string, unknown> = { ...old };
  for (const path of paths) {
    const [first = '', second] = path.split('.');
    const value = Object.hasOwn(given, first) ? given[first] : undefined;
    const isDeep = second !== undefined && Object.hasOwn(fields, first) && isObject(fields[first]);
    fields[first] = isDeep
      ? {
          ...(fields[first] as Fields),
          [second]: isObject(value) && Object.hasOwn(value, second) ? value[second] : undefined,
        }
      : value;
  }
  return JSON.parse(JSON.stringify(fields)) as Fields;
}
