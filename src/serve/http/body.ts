import type { IncomingMessage } from 'node:http';
import { isJson, readBytes, refuseEncoded, textOf, type BodyLimits } from '#kernel/body.ts';
import { ApiError, fail } from '#kernel/errors.ts';
import { BODY_LIMITS, JsonError, parseJson } from '#kernel/text/json.ts';

/** The size limits for the JSON body of an operation or webhook. */
export const JSON_BODY: BodyLimits = Object.freeze({ limit: 1_048_576, discard: 16_777_216 });

const NOTHING: Readonly<Record<string, unknown>> = Object.freeze({});

export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return length === undefined ? headers['transfer-encoding'] !== undefined : length !== '0';
}

/** Headers as single texts; repeated headers are joined. */
export function headersOf({ headers }: IncomingMessage): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  );
}

/** Reads a JSON object. A missing or empty body counts as an empty object, whatever its content type. */
export async function readJsonObject(req: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  if (!hasBody(req)) return NOTHING;
  const bytes = await readBytes(req, JSON_BODY);
  if (bytes.length === 0) return NOTHING;
  refuseEncoded(req);
  const { 'content-type': type } = req.headers;
  if (type !== undefined && !isJson(type)) fail('http.415');
  const value = parseBody(textOf(bytes));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) fail('validation.body_invalid');
  return value as Record<string, unknown>;
}

function parseBody(text: string): unknown {
  try {
    return parseJson(text, BODY_LIMITS);
  } catch (error) {
    if (error instanceof JsonError) throw new ApiError('validation.body_invalid', { message: error.message });
    throw error;
  }
}
