import { fail, type ApiError, type ErrorCode } from '#kernel/errors.ts';
import type { Log } from '#kernel/log.ts';
import { presentError } from '../../invoke.ts';
import type { LoginResult } from './attempts.ts';
import type { makeEndings } from './outcomes.ts';
import type { Connect, ConnectPending, FormValues } from './pending.ts';

export type LoginDeps = Readonly<{
  connect: Pick<Connect, 'submit' | 'finishCallback' | 'abandon'>;
  endings: ReturnType<typeof makeEndings>;
  log: Log;
}>;

/** Refusals that do not end the connection, because it can go on or has already ended. */
const STOPPED: ReadonlySet<ErrorCode> = new Set(['auth.state_mismatch', 'http.503']);

/** Logins at a platform, through the login form or the parameters of the OAuth callback. */
export function makeLogins({ connect, endings, log }: LoginDeps) {
  /** Returns a refusal that may end the connection; throws any other. */
  function refusalOf(thrown: unknown, requestId: string, { row }: ConnectPending): ApiError {
    const refusal = presentError(thrown, undefined, requestId, log);
    if (STOPPED.has(refusal.code)) throw refusal;
    log.info({ request_id: requestId, platform: row.platform, code: refusal.code }, 'connection refused');
    return refusal;
  }

  return Object.freeze({
    /** After a platform's refusal the form appears again. The `last` attempt and final refusals end the connection. */
    async byForm(requestId: string, pending: ConnectPending, values: FormValues, last: boolean): Promise<LoginResult> {
      try {
        return { location: endings.connected(pending.row, await connect.submit(pending, values)) };
      } catch (thrown) {
        const refusal = refusalOf(thrown, requestId, pending);
        if (refusal.code.startsWith('validation.')) return { refusal, counts: false };
        if (isWorthAnotherTry(refusal) && !last) return { refusal, counts: true };
        if (!(await connect.abandon(pending))) fail('auth.state_mismatch');
        return { location: endings.failed(pending.row, refusal.code, refusal.message) };
      }
    },

    async byCallback(
      requestId: string,
      pending: ConnectPending,
      state: string,
      params: FormValues,
    ): Promise<LoginResult> {
      try {
        const completed = await connect.finishCallback(pending, params);
        const location =
          'account' in completed
            ? endings.connected(pending.row, completed.account)
            : endings.undecided(pending.row, completed.choice.id, state);
        return { location };
      } catch (thrown) {
        const refusal = refusalOf(thrown, requestId, pending);
        return { location: endings.failed(pending.row, refusal.code, refusal.message) };
      }
    },
  });
}

/** Refusals by the platform and internal errors can be retried; those about the workspace or account are final. */
function isWorthAnotherTry({ code }: ApiError): boolean {
  return code.startsWith('platform.') || code === 'system.internal';
}
