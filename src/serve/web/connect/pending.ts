import type { makeConnect } from '#engine/accounts/connect.ts';
import type { makeOAuthCallback } from '#engine/accounts/oauth-callback.ts';

/** Engine functions that the pages call. */
export type Connect = Pick<ReturnType<typeof makeConnect>, 'pending' | 'expired' | 'submit' | 'abandon'> &
  Pick<ReturnType<typeof makeOAuthCallback>, 'finishCallback' | 'consents' | 'openChoice' | 'pick' | 'forgo'>;
export type OpenChoice = NonNullable<Awaited<ReturnType<Connect['openChoice']>>>;
export type ConnectPending = NonNullable<Awaited<ReturnType<Connect['pending']>>>;

/** The fields of the form, or the parameters of the callback, by name. */
export type FormValues = Readonly<Record<string, string>>;

/** The refusal for a browser that did not start the connection. */
export const ELSEWHERE = Object.freeze({
  message: 'This connection was started in another browser, or cookies are blocked here.',
});

/** The subject to which a connection's cookie and forms are bound. */
export function subjectOf(state: string): string {
  return `connect ${state}`;
}
