import type { makeConnect } from '../../../engine/accounts/connect.ts';
import type { makeOAuthCallback } from '../../../engine/accounts/oauth-callback.ts';

/** The engine functions that the pages call. */
export type Connect = Pick<ReturnType<typeof makeConnect>, 'pending' | 'expired' | 'submit' | 'abandon'> &
  Pick<ReturnType<typeof makeOAuthCallback>, 'finishCallback' | 'consents'>;
export type ConnectPending = NonNullable<Awaited<ReturnType<Connect['pending']>>>;

/** Fields of the form, or parameters of the callback, by name. */
export type FormValues = Readonly<Record<string, string>>;

/** What the cookie and the forms of a connection are bound to. */
export function subjectOf(state: string): string {
  return `connect ${state}`;
}
