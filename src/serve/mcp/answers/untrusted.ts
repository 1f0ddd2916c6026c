import type { z } from 'zod';
import type { AnyTool } from '#call/tool.ts';
import { withoutHidden } from '#kernel/text/hidden.ts';
import { isPlain } from '../../plain.ts';
import { isRecord, jsonSchema, type JsonSchema } from '../../schema.ts';

/** The paths in a result that hold text from outsiders, such as `data[].text`. */
export function untrustedIn({ output }: Pick<AnyTool, 'output'>): readonly string[] {
  return [...pathsIn(jsonSchema(output as z.ZodObject, 'output'), '')];
}

function* pathsIn(schema: JsonSchema, at: string): Generator<string> {
  if (schema['untrusted'] === true) {
    yield at;
    return;
  }
  const { items, properties, additionalProperties: others, anyOf } = schema;
  if (isRecord(items)) yield* pathsIn(items, `${at}[]`);
  if (isRecord(others)) yield* pathsIn(others, `${at}.*`);
  for (const branch of (anyOf ?? []) as JsonSchema[]) yield* pathsIn(branch, at);
  for (const [name, field] of Object.entries((properties ?? {}) as Record<string, JsonSchema>)) {
    yield* pathsIn(field, at === '' ? name : `${at}.${name}`);
  }
}

/** The value without invisible characters in its texts. */
export function withVisibleText(value: unknown): unknown {
  if (typeof value === 'string') return withoutHidden(value);
  if (Array.isArray(value)) return value.map(withVisibleText);
  if (!isPlain(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [withoutHidden(name), withVisibleText(inner)]),
  );
}
