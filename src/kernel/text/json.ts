import { fail } from '../errors.ts';

/** Why a JSON text was refused before parsing. */
export type JsonReason = 'syntax' | 'depth' | 'values';

/** A JSON text is malformed, nested too deeply or too large. */
export class JsonError extends Error {
  override name = 'JsonError';
  readonly reason: JsonReason;

  constructor(reason: JsonReason, message: string, cause?: unknown) {
    super(message, { cause });
    this.reason = reason;
  }
}

export type JsonLimits = Readonly<{ maxDepth: number; maxValues: number }>;

/** The limits for requests and pushes. */
export const BODY_LIMITS: JsonLimits = Object.freeze({ maxDepth: 64, maxValues: 50_000 });

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

/** Parses a JSON text after checking its depth and number of values, as either could block a parser. */
export function parseJson(text: string, limits: JsonLimits): unknown {
  measure(text, limits);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new JsonError('syntax', 'The text is not valid JSON.', cause);
  }
}

/** A reviver with V8's third argument, the source text of a value. */
type Reviver = (key: string, value: unknown, context: Readonly<{ source?: string }>) => unknown;

/** Parses integers above 2^53 as strings; ten times slower than JSON.parse, so pass limits for untrusted text. */
export function parseBigJson(text: string, limits?: JsonLimits): unknown {
  if (limits) measure(text, limits);
  const keepDigits: Reviver = (_, value, { source = '' }) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source) ? source : value;
  return JSON.parse(text, keepDigits as Parameters<typeof JSON.parse>[1]);
}

export function parseJsonField(text: string, field: string): unknown {
  try {
    return parseJson(text, BODY_LIMITS);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    fail('validation.field_invalid', { message: `${field}: ${error.message}`, meta: { field } });
  }
}

/** Serializes equal values to equal texts, regardless of the order of their fields. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, inner]) => `${JSON.stringify(name)}:${canonicalJson(inner)}`).join(',')}}`;
}

/** Checks the limits in one pass, even for invalid JSON, which the parser refuses afterwards. */
function measure(text: string, { maxDepth, maxValues }: JsonLimits): void {
  // A level takes two characters and a value takes one, so a short text cannot exceed the limits.
  if (text.length < 2 * maxDepth && text.length < maxValues) return;
  let depth = 0;
  let values = 1;
  let opened = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code <= 0x20) continue;
    const closes = code === 0x5d || code === 0x7d;
    if (opened && !closes) values++;
    opened = false;
    if (code === QUOTE) {
      i = endOfString(text, i);
    } else if (code === COMMA) {
      values++;
    } else if (code === 0x5b || code === 0x7b) {
      depth++;
      opened = true;
      if (depth > maxDepth) throw new JsonError('depth', `JSON may be nested at most ${maxDepth} levels deep.`);
    } else if (closes) {
      depth--;
    }
    if (values > maxValues) throw new JsonError('values', `JSON may hold at most ${maxValues} values.`);
  }
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return end;
    end = text.indexOf('"', end + 1);
  }
  return text.length;
}
