/** Field masks: which parts of a thing are read or written, as paths in either case. */
import { isObject } from '../kit/api/checks.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The paths of a mask, in the case of JSON. */
export const pathsIn = (mask = ''): readonly string[] =>
  mask
    .split(',')
    .map((path) => path.trim().replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()))
    .filter(Boolean);

/** The parts of a thing that a mask names, with all that stands below them. */
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

/** A thing with what a mask names taken from another; what that does not have is gone. */
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
