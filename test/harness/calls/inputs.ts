import { inputOf, type Facade } from '#call/input.ts';
import type { AnyTool } from '#call/tool.ts';
import { jsonSchema } from '#serve/schema.ts';

/** Inputs of operations, derived from what these declare. */
export type Shape = Readonly<{
  type?: string | readonly string[];
  enum?: readonly unknown[];
  const?: unknown;
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  items?: Shape;
  properties?: Readonly<Record<string, Shape>>;
  required?: readonly string[];
  additionalProperties?: Shape;
  shown_as?: Readonly<{ type: string }>;
}>;
/** The way to a value: names of fields and numbers of items. */
export type Path = readonly (string | number)[];
export type Place = Readonly<{ path: Path; shape: Shape }>;

/** What an operation takes through a door. */
export const shapeOf = (tool: AnyTool, facade: Facade): Shape => jsonSchema(inputOf(tool, facade), 'input');

/** The kind of a value, null aside; undefined for any. */
export const kindOf = ({ type, const: only, enum: some }: Shape): string | undefined =>
  [type].flat().find((kind) => kind !== 'null') ?? (only === undefined && some === undefined ? undefined : 'string');

/** Every value that an input may hold, at any depth; of lists the first item. */
export function placesOf(shape: Shape, path: Path = []): readonly Place[] {
  const fields = Object.entries(shape.properties ?? {}).map(([name, field]) => ({ at: [...path, name], field }));
  const inner = shape.items === undefined ? fields : [{ at: [...path, 0], field: shape.items }];
  return inner.flatMap(({ at, field }) => [{ path: at, shape: field }, ...placesOf(field, at)]);
}

type Known = ReadonlyMap<string, unknown>;

/** A value of a shape in which every field is filled; values that are known by the name of their field are taken first. */
export function exampleOf(shape: Shape, known: Known = new Map(), name = ''): unknown {
  if (shape.format === 'date-time') return '2026-02-01T10:00:00Z';
  if (shape.format === 'date') return '2026-02-01';
  if (known.has(name)) return known.get(name);
  if (shape.const !== undefined) return shape.const;
  if (shape.enum !== undefined) return shape.enum[0];
  switch (kindOf(shape)) {
    case 'object': {
      const fields = Object.entries(shape.properties ?? {});
      return Object.fromEntries(fields.map(([field, inner]) => [field, exampleOf(inner, known, field)]));
    }
    case 'array':
      return [exampleOf(shape.items ?? {}, known, singular(name))];
    case 'integer':
    case 'number':
      return Math.max(1, shape.minimum ?? 1);
    case 'boolean':
      return true;
    case 'string':
      return textOf(shape);
    default:
      return {};
  }
}

/** A list of things is called by the plural of one. */
const singular = (name: string) => name.replace(/s$/, '');

function textOf({ format, minLength = 0 }: Shape): string {
  if (format === 'uri') return 'https://example.org/';
  return 'any'.padEnd(minLength, 'y');
}

/** The value at a path. */
export const valueAt = (input: unknown, path: Path): unknown =>
  path.reduce<unknown>((value, key) => (value as Record<string | number, unknown> | undefined)?.[key], input);

/** The same input with another value at a path. */
export function withValue(input: unknown, [key, ...rest]: Path, value: unknown): unknown {
  if (key === undefined) return value;
  if (Array.isArray(input)) return input.map((item, at) => (at === key ? withValue(item, rest, value) : item));
  return { ...(input as object), [key]: withValue((input as Record<string, unknown>)[key], rest, value) };
}
