import type { IncomingMessage } from 'node:http';
import type { OauthClientRow } from '#db/access/oauth-clients.ts';
import { readBytes, textOf, type BodyLimits } from '#kernel/body.ts';
import { safeEqual, sha256 } from '#kernel/sign.ts';
import { BODY_LIMITS, parseJson } from '#kernel/text/json.ts';

/** The largest body of unauthenticated callers. */
const LIMITS: BodyLimits = Object.freeze({ limit: 16 * 1024, discard: 1_048_576 });

export const readText = async (req: IncomingMessage): Promise<string> => textOf(await readBytes(req, LIMITS));

/** Fields of a form or JSON object; `wrong` names a repeated or non-string one. */
export type Fields = Readonly<{ get(name: string): string | undefined; wrong: string | undefined }>;

/** Reads fields of a form if it has `formField`, else of JSON; empty counts as absent (RFC 6749 § 3.1). */
export function readFields(text: string, type: string, names: readonly string[], formField: string): Fields {
  const form = new URLSearchParams(text);
  const json = !form.has(formField) || /json/i.test(type) ? objectIn(text) : undefined;
  return json ? fieldsOfObject(json, names) : fieldsOfForm(form, names);
}

function fieldsOfForm(form: URLSearchParams, names: readonly string[]): Fields {
  return {
    get: (name) => form.get(name) || undefined,
    wrong: names.find((name) => form.getAll(name).length > 1),
  };
}

function fieldsOfObject(object: Readonly<Record<string, unknown>>, names: readonly string[]): Fields {
  const valueOf = (name: string) => (Object.hasOwn(object, name) ? (object[name] ?? undefined) : undefined);
  return {
    get(name) {
      const value = valueOf(name);
      return typeof value === 'string' && value !== '' ? value : undefined;
    },
    wrong: names.find((name) => valueOf(name) !== undefined && typeof valueOf(name) !== 'string'),
  };
}

export function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = parseJson(text, BODY_LIMITS);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Client credentials: the body wins over the Authorization header, field by field. */
export function clientOf(fields: Fields, authorization: string | undefined): { id?: string; secret?: string } {
  const basic = basicOf(authorization);
  const id = fields.get('client_id') ?? basic?.id;
  // The header's password counts only for the header's user name.
  const secret = fields.get('client_secret') ?? (basic?.id === id ? basic?.secret : undefined);
  return { ...(id !== undefined && { id }), ...(secret !== undefined && { secret }) };
}

/** Whether a secret is that of a registered client; false for a client without one. */
export function isSecretOf(client: OauthClientRow | undefined, secret: string): boolean {
  const hash = client?.secret_hash ?? undefined;
  return hash !== undefined && safeEqual(sha256(secret), hash);
}

function basicOf(authorization = ''): { id: string; secret: string | undefined } | undefined {
  const encoded = /^basic +([a-z\d+/_-]+=*) *$/i.exec(authorization)?.[1];
  if (encoded === undefined) return undefined;
  const pair = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = pair.indexOf(':');
  if (colon < 1) return undefined;
  return { id: decoded(pair.slice(0, colon)), secret: decoded(pair.slice(colon + 1)) || undefined };
}

/** Both halves are form-encoded (RFC 6749 § 2.3.1); other text decodes to itself. */
function decoded(text: string): string {
  return new URLSearchParams(`value=${text.replaceAll('&', '%26')}`).get('value')!;
}
