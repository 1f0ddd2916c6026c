/** Calls with the token of a person, on platforms where the app acts for people, not for Pages. */
import { GraphError, unknownObject } from '../api/errors.ts';
import type { Call } from '../world.ts';
import { asSession, holds } from './tokens.ts';

export function callerWith({ actor }: Pick<Call, 'actor'>, ...scopes: readonly string[]): string {
  const session = asSession(actor);
  const missing = scopes.filter((scope) => !holds(session, scope));
  if (missing.length > 0)
    throw new GraphError(10, `(#10) Application does not have permission for this action: ${missing.join(', ')}`, {
      status: 403,
    });
  return session.claims.person;
}

/** Returns the person in the path, who must be the caller and have granted the scopes. */
export function selfWith(call: Call, id: string, ...scopes: readonly string[]): string {
  if (callerWith(call, ...scopes) !== id) throw unknownObject(id, call.verb.toLowerCase());
  return id;
}
