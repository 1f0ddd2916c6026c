/** Returns the fault of the value at `path`, or undefined if it is valid. */
export type Check = (value: unknown, path: string) => string | undefined;

type Shape = Readonly<Record<string, Check>>;

export const viewOf = (value: unknown): string => {
  if (typeof value === 'string') return JSON.stringify(value.length < 256 ? value : `${value.slice(0, 255)}…`);
  if (Array.isArray(value)) return value.length === 0 ? '[]' : '[...]';
  return typeof value === 'object' && value !== null ? '{...}' : String(value);
};
export const expected = (kind: string, value: unknown, path: string) =>
  `Expected ${kind} value type (got ${viewOf(value)}) at ${path}`;
export const tooBig = (kind: string, most: number, got: number, path: string) =>
  `${kind} too big (maximum ${most}, got ${got}) at ${path}`;
const tooSmall = (kind: string, least: number, got: number, path: string) =>
  `${kind} too small (minimum ${least}, got ${got}) at ${path}`;

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const asText = (value: unknown): string => (typeof value === 'string' ? value : '');

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

export function graphemes(text: string): number {
  let count = 0;
  for (const _ of segmenter.segment(text)) count += 1;
  return count;
}

export type Format = Readonly<{ name: string; fits(text: string): boolean }>;

/** `bytes` limits the length in UTF-8, `graphemes` the number of visible characters. */
export function text(rule: { bytes?: number; graphemes?: number; format?: Format } = {}): Check {
  return (value, path) => {
    if (typeof value !== 'string') return expected('string', value, path);
    const size = Buffer.byteLength(value);
    if (rule.bytes !== undefined && size > rule.bytes) return tooBig('string', rule.bytes, size, path);
    if (rule.graphemes !== undefined) {
      const count = graphemes(value);
      if (count > rule.graphemes) return tooBig('grapheme', rule.graphemes, count, path);
    }
    if (rule.format?.fits(value) === false) return `Invalid ${rule.format.name} (got ${viewOf(value)}) at ${path}`;
    return undefined;
  };
}

export function integer(rule: { min?: number; max?: number } = {}): Check {
  return (value, path) => {
    if (typeof value !== 'number' || !Number.isSafeInteger(value)) return expected('integer', value, path);
    if (rule.min !== undefined && value < rule.min) return tooSmall('integer', rule.min, value, path);
    if (rule.max !== undefined && value > rule.max) return tooBig('integer', rule.max, value, path);
    return undefined;
  };
}

export const flag: Check = (value, path) => (typeof value === 'boolean' ? undefined : expected('boolean', value, path));

export const anyObject: Check = (value, path) => (isObject(value) ? undefined : expected('object', value, path));

/** Accepts null and whatever the given check accepts. */
export const nullable =
  (check: Check): Check =>
  (value, path) =>
    value === null ? undefined : check(value, path);

export function list(item: Check, most = Infinity): Check {
  return (value, path) => {
    if (!Array.isArray(value)) return expected('array', value, path);
    if (value.length > most) return tooBig('array', most, value.length, path);
    for (const [at, entry] of value.entries()) {
      const wrong = item(entry, `${path}[${at}]`);
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  };
}

/** Checks an object's known keys; other keys are allowed. */
export function object(needed: Shape, optional: Shape = {}): Check {
  return (value, path) => {
    if (!isObject(value)) return expected('object', value, path);
    for (const [key, check] of Object.entries(needed)) {
      if (!Object.hasOwn(value, key)) return `Missing required key "${key}" at ${path}`;
      const wrong = check(value[key], `${path}.${key}`);
      if (wrong !== undefined) return wrong;
    }
    for (const [key, check] of Object.entries(optional)) {
      const wrong = Object.hasOwn(value, key) ? check(value[key], `${path}.${key}`) : undefined;
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  };
}
