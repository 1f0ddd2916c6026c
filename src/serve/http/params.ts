import type { z } from 'zod';
import { fail } from '#kernel/errors.ts';
import { unwrapped } from '../unwrap.ts';

/** Converts a parameter, sent once or repeatedly, to the type in the schema; `undefined` if it is empty. */
type ReadParam = (sent: string | readonly string[]) => unknown;
export type ParamReaders = ReadonlyMap<string, ReadParam>;

type Schema = z.core.$ZodType;
type ReadText = (text: string) => unknown;

const NUMBER = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d{1,3})?$/i;

/** Readers for texts from the query, path and form. A text that cannot be converted stays a text. */
export function paramReaders(input: z.ZodObject): ParamReaders {
  return new Map(Object.entries(input.shape).map(([name, schema]) => [name, readerOf(schema as Schema)]));
}

/** Converts the sent parameters that the schema knows. */
export function readParams(
  sent: Readonly<Record<string, string | string[]>>,
  fields: ParamReaders,
): Record<string, unknown> {
  const read: Record<string, unknown> = {};
  for (const name in sent) {
    const value = fields.get(name)?.(sent[name]!);
    if (value !== undefined) read[name] = value;
  }
  return read;
}

/** Refuses malformed percent-encoding, which the router leaves as it is. */
export function refuseMalformed(url: string, fields: ParamReaders): void {
  if (!url.includes('%')) return;
  const [, query = ''] = url.split(/[?#]/);
  for (const pair of query.split('&')) {
    const [name = ''] = pair.split('=', 1);
    if (!fields.has(name) || isWellEncoded(pair)) continue;
    fail('validation.field_invalid', { message: `${name} is not correctly percent-encoded.`, meta: { field: name } });
  }
}

function isWellEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function readerOf(schema: Schema): ReadParam {
  const { def } = unwrapped(schema)._zod;
  if (def.type === 'array') {
    const element = textReaderOf((def as z.core.$ZodArrayDef).element);
    return (sent) => {
      const parts = (typeof sent === 'string' ? [sent] : sent).flatMap((text) => text.split(','));
      const filled = parts.map((part) => part.trim()).filter((part) => part !== '');
      return filled.length === 0 ? undefined : filled.map(element);
    };
  }
  const read = textReaderOf(schema);
  return (sent) => {
    if (typeof sent !== 'string') return sent.every((text) => text === '') ? undefined : sent;
    return sent === '' ? undefined : read(sent);
  };
}

function textReaderOf(schema: Schema): ReadText {
  const { def } = unwrapped(schema)._zod;
  switch (def.type) {
    case 'number':
      return numberOf;
    case 'boolean':
      return booleanOf;
    case 'literal': {
      const byText = new Map(
        (def as z.core.$ZodLiteralDef<z.core.util.Literal>).values.map((one) => [String(one), one]),
      );
      return (text) => byText.get(text) ?? text;
    }
    case 'union': {
      const readers = (def as z.core.$ZodUnionDef).options.map(textReaderOf);
      return (text) => readers.map((read) => read(text)).find((value) => value !== text) ?? text;
    }
    default:
      return (text) => text;
  }
}

function numberOf(text: string): unknown {
  return NUMBER.test(text) ? Number(text) : text;
}

function booleanOf(text: string): unknown {
  if (text === 'true' || text === '1') return true;
  return text === 'false' || text === '0' ? false : text;
}
