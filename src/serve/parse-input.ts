import type { z } from 'zod';
import { inputOf, type Facade } from '#call/input.ts';
import type { AnyTool } from '#call/tool.ts';
import { fail } from '#kernel/errors.ts';
import { withoutBlankTexts } from './blank-texts.ts';
import { coerceInput } from './coerce-input.ts';
import { isPlain } from './plain.ts';
import { unwrapped } from './unwrap.ts';
import { refuseUnknownNames } from './unknown-names.ts';

/** Parses an input; an error names the first invalid field. /mcp refuses unknown names and converts text and nulls. */
export function parseInput(tool: AnyTool, facade: Facade, sent: unknown): unknown {
  const schema = inputOf(tool, facade);
  const read = withoutBlankTexts(schema, facade === 'mcp' ? coerceInput(schema, sent) : sent);
  const input = holdsNull(read) ? withoutNulls(schema, read, facade) : read;
  if (facade === 'mcp') refuseUnknownNames(tool.name, schema, input);
  const result = parsed(schema, input);
  if (result.success) {
    refuseUnstorable(result.data, '');
    return result.data;
  }
  return refuse(tool, facade, input, result.error.issues[0]!);
}

function refuse(tool: AnyTool, facade: Facade, input: unknown, issue: z.core.$ZodIssue): never {
  const schema = inputOf(tool, facade);
  const field = issue.path.map(String).join('.');
  const given = valueAt(input, issue.path);
  const missing = given === undefined || given === null;
  // A message that begins with the field's name is shown on its own.
  const whole = issue.message.startsWith(`${field} must `);
  const empty = issue.code === 'too_small' && issue.origin === 'string' && issue.minimum === 1;
  if (!whole && (missing || empty) && !mayBeLeftOut(schemaAt(schema, issue.path))) {
    const what = facade === 'mcp' ? (schemaAt(schema, issue.path) as z.ZodType | undefined)?.description : undefined;
    const message = what === undefined ? `${field || 'input'} is required.` : `${field} is required: ${what}`;
    fail('validation.field_required', { message, meta: { field } });
  }
  fail('validation.field_invalid', {
    message: whole ? issue.message : `${field || 'input'}: ${issue.message}`,
    // The message already says what may be sent, and the contract may fix its wording.
    ...(whole && { next: '' }),
    meta: { field },
  });
}

/** Zod compares the length of anything that has one, and throws if the length is not comparable. */
function parsed(schema: z.ZodObject, input: unknown) {
  try {
    return schema.safeParse(input);
  } catch (cause) {
    const fields = input as Record<string, unknown>;
    const field = Object.keys(schema.shape).find((name) => throws(() => schema.shape[name]!.safeParse(fields[name])));
    if (field === undefined) throw cause;
    fail('validation.field_invalid', {
      message: `${field}: expected a text or a list, not an object.`,
      meta: { field },
    });
  }
}

function throws(work: () => unknown): boolean {
  try {
    work();
    return false;
  } catch {
    return true;
  }
}

type Schema = z.core.$ZodType;

const leavable = new WeakMap<Schema, boolean>();

/** Whether a field is optional and does not accept null. */
function mayBeLeftOut(field: Schema | undefined): boolean {
  if (field === undefined) return false;
  const known = leavable.get(field);
  if (known !== undefined) return known;
  const found = (field as z.ZodType).safeParse(undefined).success && !(field as z.ZodType).safeParse(null).success;
  leavable.set(field, found);
  return found;
}

function holdsNull(value: unknown): boolean {
  if (value === null) return true;
  if (Array.isArray(value)) return value.some(holdsNull);
  if (!isPlain(value)) return false;
  for (const name in value) if (holdsNull(value[name])) return true;
  return false;
}

/** Removes nulls: over REST where null has no meaning, over /mcp in every declared field. */
function withoutNulls(schema: Schema, value: unknown, facade: Facade): unknown {
  const { def } = unwrapped(schema)._zod;
  if (def.type === 'array' && Array.isArray(value)) {
    const { element } = def as z.core.$ZodArrayDef;
    return value.some(isPlain) ? value.map((item) => withoutNulls(element, item, facade)) : value;
  }
  if (def.type !== 'object' || !isPlain(value)) return value;
  const { shape, catchall } = def as z.core.$ZodObjectDef;
  const isAbsent = (field: Schema | undefined) =>
    facade === 'mcp' ? field !== undefined || catchall === undefined : mayBeLeftOut(field);
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      const field = Object.hasOwn(shape, name) ? shape[name] : undefined;
      if (inner === null && isAbsent(field)) return [];
      return [[name, field === undefined ? inner : withoutNulls(field, inner, facade)]];
    }),
  );
}

function schemaAt(schema: Schema, path: readonly PropertyKey[]): Schema | undefined {
  return path.reduce<Schema | undefined>((at, key) => {
    const def = at && unwrapped(at)._zod.def;
    if (def?.type === 'array') return (def as z.core.$ZodArrayDef).element;
    return def?.type === 'object' ? (def as z.core.$ZodObjectDef).shape[String(key)] : undefined;
  }, schema);
}

/** Refuses NUL, lone surrogates and infinite numbers, which no store or encoding can hold. */
function refuseUnstorable(value: unknown, field: string): void {
  if (typeof value === 'string') {
    const surrogate = value.isWellFormed() ? undefined : 'a lone surrogate';
    const flaw = value.includes('\0') ? 'a NUL character' : surrogate;
    if (flaw === undefined) return;
    fail('validation.field_invalid', { message: `${field} must not contain ${flaw}.`, meta: { field } });
  } else if (typeof value === 'number' && !Number.isFinite(value)) {
    fail('validation.field_invalid', { message: `${field} is too large a number.`, meta: { field } });
  } else if (Array.isArray(value)) {
    value.forEach((item, index) => refuseUnstorable(item, `${field}.${index}`));
  } else if (isPlain(value)) {
    for (const key of Object.keys(value)) refuseUnstorable(value[key], field === '' ? key : `${field}.${key}`);
  }
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key], input);
}
