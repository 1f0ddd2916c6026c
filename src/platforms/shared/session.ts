import * as z from 'zod';
import type { Session } from '../call.ts';
import { refused } from './errors.ts';
import { jsonIn } from './rest.ts';

/** Parses stored sessions; an invalid one requires a reconnect. */
export function sessionParser<T extends z.ZodType>(shape: T): (session: Session) => z.output<T> {
  return function parseSession(session) {
    const stored = shape.safeParse(session);
    if (!stored.success) throw refused('auth');
    return stored.data;
  };
}

const Claims = z.object({ exp: z.number().optional(), scope: z.string().optional() });

/** Reads the expiry and scope of a JWT without verifying it, which only its issuer can do. */
export function claimsOf(jwt: string): Readonly<{ expiresAt?: number | undefined; scope?: string | undefined }> {
  const { exp, scope } = Claims.safeParse(jsonIn(Buffer.from(jwt.split('.')[1] ?? '', 'base64url'))).data ?? {};
  return { expiresAt: exp === undefined ? undefined : exp * 1000, scope };
}
