import type * as z from 'zod';

/** A difference in a response: where it is, what was expected, and what was found. */
export type Flaw = Readonly<{ at: string; expected: string; seen: string }>;

/** The parts of a schema's definition that are used here. */
type Definition = Readonly<{
  type: string;
  coerce?: boolean;
  innerType?: z.ZodType;
  getter?: () => z.ZodType;
  in?: z.ZodType;
  element?: z.ZodType;
  valueType?: z.ZodType;
  shape?: Readonly<Record<string, z.ZodType>>;
  options?: readonly z.ZodType[];
  left?: z.ZodType;
  right?: z.ZodType;
  items?: readonly z.ZodType[];
}>;

const MOST_ENTRIES = 50;

const definitionOf = (schema: z.ZodType): Definition => schema.def;

const join = (at: string, member: string) => (at === '' ? member : `${at}.${member}`);

/** The kind of a value, without its content. */
function kindOf(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'list' : typeof value;
}

/** Where a value differs from a schema: a member is missing or of another type. Tolerated members may be missing. */
export function flawsOf(schema: z.ZodType, value: unknown): readonly Flaw[] {
  const found = inspect(schema, value, '', false);
  if (found.length > 0) return unique(found);
  const issue = schema.safeParse(value).error?.issues[0];
  return issue ? [{ at: issue.path.map(String).join('.'), expected: issue.code, seen: kindOf(value) }] : [];
}

const unique = (flaws: readonly Flaw[]): readonly Flaw[] => [
  ...new Map(flaws.map((flaw) => [JSON.stringify(flaw), flaw])).values(),
];

function inspect(schema: z.ZodType, value: unknown, at: string, lenient: boolean): readonly Flaw[] {
  const { type, innerType, getter, in: from, left, right, options } = definitionOf(schema);
  switch (type) {
    case 'optional':
    case 'default':
    case 'prefault':
      return value === undefined ? [] : inspect(innerType!, value, at, lenient);
    case 'nullable':
      return value === null ? [] : inspect(innerType!, value, at, lenient);
    case 'catch':
      return value === undefined || value === null ? [] : inspect(innerType!, value, at, true);
    case 'readonly':
    case 'nonoptional':
      return inspect(innerType!, value, at, lenient);
    case 'lazy':
      return inspect(getter!(), value, at, lenient);
    case 'pipe':
      // A transformed value can only be checked as a whole.
      return definitionOf(from!).type === 'transform'
        ? leaf(schema, value, at, lenient)
        : inspect(from!, value, at, lenient);
    case 'intersection':
      return [...inspect(left!, value, at, lenient), ...inspect(right!, value, at, lenient)];
    case 'union':
      return fewest(options!.map((option) => inspect(option, value, at, lenient)));
    default:
      return within(schema, value, at, lenient);
  }
}

function within(schema: z.ZodType, value: unknown, at: string, lenient: boolean): readonly Flaw[] {
  const { type, shape, element, valueType, items } = definitionOf(schema);
  const wrong = (expected: string) => [{ at, expected, seen: kindOf(value) }];
  if (type === 'object' || type === 'record') {
    if (kindOf(value) !== 'object') return wrong('object');
    const members = value as Readonly<Record<string, unknown>>;
    if (type === 'record')
      return Object.values(members).flatMap((one) => inspect(valueType!, one, join(at, '*'), lenient));
    return Object.entries(shape!).flatMap(([name, part]) => inspect(part, members[name], join(at, name), lenient));
  }
  if (type === 'array') {
    if (!Array.isArray(value)) return wrong('list');
    return value.slice(0, MOST_ENTRIES).flatMap((one) => inspect(element!, one, `${at}[]`, lenient));
  }
  if (type === 'tuple') {
    if (!Array.isArray(value)) return wrong('list');
    return items!.flatMap((item, index) => inspect(item, value[index], `${at}[${index}]`, lenient));
  }
  return leaf(schema, value, at, lenient);
}

function leaf(schema: z.ZodType, value: unknown, at: string, lenient: boolean): readonly Flaw[] {
  if (schema.safeParse(value).success) return [];
  const { type } = definitionOf(schema);
  const expected = LEAVES.get(type) ?? type;
  const seen = kindOf(value);
  if (seen !== expected) return [{ at, expected, seen }];
  // In lenient places, words and numbers other than the known ones are accepted.
  return lenient ? [] : [{ at, expected: `${expected} of a known form`, seen: 'another one' }];
}

/** How a report names the types of a schema. */
const LEAVES: ReadonlyMap<string, string> = new Map([
  ['enum', 'string'],
  ['literal', 'string'],
  ['template_literal', 'string'],
  ['int', 'number'],
]);

/** Of several alternatives, the flaws for the one that the value matches best. */
const fewest = (found: readonly (readonly Flaw[])[]): readonly Flaw[] =>
  found.reduce((best, one) => (weightOf(one) < weightOf(best) ? one : best));

const weightOf = (flaws: readonly Flaw[]): number =>
  flaws.reduce((sum, { seen }) => sum + (seen === 'missing' ? 2 : 1), 0);
