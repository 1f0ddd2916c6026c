import { kindOf, placesOf, valueAt, withValue, type Path, type Shape } from '../../harness/calls/inputs.ts';

export type Random = () => number;

export const oneOf = <T>(random: Random, list: readonly T[]): T => list[Math.floor(random() * list.length)]!;

const nested = (depth: number): unknown => Array.from({ length: depth }).reduce<unknown>((inner) => [inner], 'deep');

/** Names that every object answers to, half characters, what leaves a path or a query, and what is very long. */
const TEXTS: readonly string[] = [
  ['constructor', 'toString', '__proto__', 'hasOwnProperty', 'valueOf', 'prototype', 'then', 'length'],
  ['', ' ', '\0', '\ud800', 'a\udfffb', '\u200b', '\u202eabc', '👨‍👩‍👧', 'ß'.repeat(300), 'x'.repeat(5000), '\n\r\t'],
  ['..', '../../etc/passwd', '%2e%2e%2f', '%00', '%', 'a/b', 'a?b=c', 'a#b', 'me', '-1', '0', '1e999', 'null'],
  [
    'acc_none',
    'pst_none',
    'acc_',
    "' or 1=1 --",
    '"; drop table posts',
    '(a+)+$',
    '${7*7}',
    '<script>',
    '[',
    '{',
    '[]',
    '{}',
  ],
  ['http://127.0.0.1:1/', 'http://[::1]/', 'file:///etc/passwd', 'data:,x', 'javascript:1', 'https://', 'https://a b/'],
  ['2026-02-30T00:00:00Z', '9999-12-31T23:59:59Z', '0000-01-01T00:00Z', '+010000-01-01T00:00:00Z', '2026-01-01'],
].flat();
const NUMBERS: readonly number[] = [0, -0, -1, 1, 0.5, 100, 101, 2 ** 31, 2 ** 53, 1e21, 1e308, -1e308, 5e-324];
const THINGS: readonly unknown[] = [
  null,
  true,
  false,
  [],
  {},
  [[]],
  [{}],
  [null],
  'text',
  7,
  Object.fromEntries([['__proto__', { admin: true }]]),
  { constructor: { prototype: {} }, toString: 1, hasOwnProperty: null, valueOf: [] },
  { length: -1 },
  { length: { a: 1 } },
  nested(30),
  nested(70),
  Array.from({ length: 300 }, (_, n) => `item ${n}`),
];

/** A value that does not belong where it will stand, or stands at an edge of what may. */
function hostileFor(shape: Shape, random: Random, ids: readonly string[]): unknown {
  const lucky = random();
  if (lucky < 0.2) return oneOf(random, THINGS);
  if (lucky < 0.3) return oneOf(random, ids);
  const kind = kindOf(shape);
  if (kind === 'integer' || kind === 'number') return oneOf(random, NUMBERS);
  if (kind === 'boolean') return oneOf<unknown>(random, ['true', 'yes', 0, 1, null]);
  if (kind === 'string' && lucky < 0.4) return edgeOf(shape, random);
  return oneOf(random, TEXTS);
}

/** A text as long as it may be, and one that is longer. */
function edgeOf({ maxLength = 100 }: Shape, random: Random): string {
  return 'é'.repeat(Math.min(maxLength, 20_000) + Math.floor(random() * 2));
}

/** An input of which a few fields are left out, and up to three values are others. */
export function mutated(shape: Shape, input: unknown, random: Random, ids: readonly string[]): unknown {
  let given = thinned(shape, input, random);
  const places = placesOf(shape).filter(({ path }) => valueAt(given, path) !== undefined);
  const times = Math.floor(random() * 4);
  for (let n = 0; n < times && places.length > 0; n += 1) {
    const { path, shape: at } = oneOf(random, places);
    if (isThere(given, path)) given = withValue(given, path, hostileFor(at, random, ids));
  }
  return given;
}

/** Whether a path leads through objects and lists still. */
const isThere = (input: unknown, path: Path): boolean => {
  const holder = valueAt(input, path.slice(0, -1));
  return typeof holder === 'object' && holder !== null;
};

function thinned({ properties = {}, required = [] }: Shape, input: unknown, random: Random): unknown {
  const left = Math.min(1, 2 / Math.max(1, Object.keys(properties).length - required.length));
  const fields = Object.entries(input as object).filter(([name]) => required.includes(name) || random() < left);
  return Object.fromEntries(fields);
}

type Spot = Readonly<{ path: Path }>;

function spotsOf(value: unknown, path: Path = []): readonly Spot[] {
  if (typeof value !== 'object' || value === null) return [{ path }];
  const inner = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return [{ path }, ...inner.flatMap(([key, one]) => spotsOf(one, [...path, key]))];
}

/** A JSON value of any shape with up to three of its values replaced. */
export function garbled(value: unknown, random: Random): unknown {
  let given = value;
  for (let n = 1 + Math.floor(random() * 3); n > 0; n -= 1) {
    const { path } = oneOf(random, spotsOf(given));
    if (path.length === 0 && random() < 0.9) continue;
    given = withValue(given, path, hostileFor({ type: random() < 0.7 ? 'string' : 'number' }, random, ['1', '2']));
  }
  return given;
}
