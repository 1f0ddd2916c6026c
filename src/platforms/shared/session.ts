import type * as z from 'zod';
import type { Session } from '../call.ts';
import { refused } from './errors.ts';

/** Makes the parser of a connector's stored sessions; an invalid one requires a reconnect. */
export function sessionParser<T extends z.ZodType>(shape: T): (session: Session) => z.output<T> {
  return function parseSession(session) {
    const stored = shape.safeParse(session);
    if (!stored.success) throw refused('auth');
    return stored.data;
  };
}
