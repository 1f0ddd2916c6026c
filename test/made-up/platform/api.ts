import * as z from 'zod';
import type { PlatformSetting } from '#kernel/config/names.ts';
import type { AccountCall, UnauthenticatedCall } from '#platforms/call.ts';
import type { PlatformError } from '#platforms/errors.ts';
import { errorTable, isInconclusive, waitOf, wordOf } from '#platforms/shared/errors.ts';
import { makeRest, type Answer } from '#platforms/shared/rest.ts';
import { sessionParser } from '#platforms/shared/session.ts';

/** Who runs the server, as Plaza knows them. */
export const PARTNER: PlatformSetting = {
  name: 'TEST_PLAZA_PARTNER',
  meaning: 'The name under which Plaza knows you.',
  parse: String,
  sandbox: 'The baker of partners',
};

/** Errors by the platform's names; a 200 may be one too. */
export const table = errorTable([
  [{ name: 'daily_limit' }, 'refused', 'publish_limit'],
  [{ status: 429 }, 'throttled', 'rate_limit'],
  [isInconclusive, 'unknown', 'api_error'],
  [{ name: 'token_expired' }, 'refused', 'auth', { expired: true }],
  [{ name: 'token_revoked' }, 'refused', 'auth'],
  [{ name: 'forbidden' }, 'refused', 'permission_denied'],
  [{ name: 'blocked' }, 'refused', 'blocked', 'This person takes no messages from the stall.'],
  [{ name: 'no_such_thing' }, 'refused', 'not_found'],
  [{ name: 'posted_already' }, 'refused', 'duplicate'],
  [{ name: 'bad_request' }, 'refused', 'invalid_request'],
]);

/** The error of an answer, whatever its status. */
export function errorOf({ status, headers, body }: Answer, now = Date.now()): PlatformError | undefined {
  const { error } = (body ?? {}) as { error?: { code?: unknown; message?: unknown } };
  if (error === undefined && status >= 200 && status <= 299) return undefined;
  const { code, message } = error ?? {};
  return table.errorOf({ status, name: wordOf(code, 100), text: wordOf(message, 300), wait: waitOf(headers, now) });
}

/** What is stored of a login; only the profile differs between its accounts. */
export const session = sessionParser(
  z.object({ access: z.string(), refresh: z.string().optional(), profile: z.string().optional() }),
);

const rest = makeRest<UnauthenticatedCall & Partial<AccountCall>>({
  base: ({ hosts }) => hosts['api']!,
  headers(call) {
    const partner = { 'plaza-partner': call.settings[PARTNER.name] ?? '' };
    if (call.session === undefined) return partner;
    const { access, profile } = session(call.session);
    const acting = profile !== undefined && { 'plaza-profile': profile };
    return { authorization: `Bearer ${access}`, ...partner, ...acting };
  },
  errorOf: (answer, call) => errorOf(answer, call.now()),
  // Ids are bare numbers of 17 digits.
  big: true,
});

export const { request } = rest;

/** Ids come as numbers too large for a double, or as text. */
export const Id = z.coerce.string().min(1).max(100);
export const Made = z.object({ id: Id });
export const Nothing = z.object({});
export const Person = z.object({ id: Id, name: z.string(), handle: z.string().optional() });
export const Time = z.number().int();

export const listOf = <T extends z.ZodType>(item: T) => z.object({ items: z.array(item), next: z.string().optional() });

/** Reads a page of a list. */
export async function readPage<T extends z.ZodType>(
  call: AccountCall,
  path: Readonly<{ path: string; ids?: Readonly<Record<string, string>> }>,
  query: Readonly<Record<string, string | readonly string[] | undefined>>,
  item: T,
) {
  const { items, next } = await request(call, { method: 'GET', ...path, query }, listOf(item));
  return { items: items as readonly z.output<T>[], cursor: next };
}
