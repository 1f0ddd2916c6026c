import type { AccountRow } from '#db/access/accounts.ts';
import type { MediaSource, Sessions } from '#call/ports.ts';
import { ApiError, StoreUnavailable } from '#kernel/errors.ts';
import type { Log } from '#kernel/log.ts';
import { REQUEST_MS } from '#platforms/call.ts';
import { type FailureKind, PlatformError } from '#platforms/errors.ts';
import { conclusive, platformRefusal } from '#platforms/refusal.ts';
import type { SendCall } from '#platforms/sending.ts';
import { LeaseLost, type Lease } from '../../jobs/lease.ts';

export type CallFailure = Readonly<{ kind: FailureKind; error: ApiError }>;

export type SendCallDeps = Readonly<{
  sessions: Pick<Sessions, 'use'>;
  media: Pick<MediaSource, 'open' | 'link'>;
  log: Log;
}>;

/** The account to call for, and the lease that must last. */
type Held = Readonly<{
  task: Readonly<{ account: AccountRow; presentError?(error: ApiError): ApiError }>;
  lease: Lease;
}>;

/** Makes platform calls for a send while its lease lasts, and classifies their errors. */
export function makeSendCall({ sessions, media, log }: SendCallDeps) {
  function callFailureOf({ account, presentError = (error) => error }: Held['task'], thrown: unknown): CallFailure {
    if (thrown instanceof LeaseLost || thrown instanceof StoreUnavailable) throw thrown;
    // Errors of our own mean that nothing was sent.
    if (thrown instanceof ApiError) return { kind: 'refused', error: thrown };
    const about = { account_id: account.id, platform: account.platform, error: thrown };
    if (thrown instanceof PlatformError) {
      const { kind, upstream } = conclusive(thrown);
      log.info({ ...about, outcome: kind, upstream }, 'sending failed');
      return { kind, error: presentError(platformRefusal(account.platform, thrown) as ApiError) };
    }
    log.error(about, 'sending broke');
    return { kind: 'unknown', error: new ApiError('system.internal', { cause: thrown }) };
  }

  return async function callFor<T>(
    { task, lease }: Held,
    work: (call: SendCall) => Promise<T>,
  ): Promise<Readonly<{ value: T }> | CallFailure> {
    const { account } = task;
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    const open = (ref: string) => media.open(account.workspace_id, ref, { until: over });
    const link: SendCall['link'] = (ref, request) =>
      media.link(account.workspace_id, ref, { ...request, network: account.network });
    try {
      const value = await sessions.use(account, (call) => {
        const http: SendCall['http'] = async (request) => {
          await lease.outlive(request.deadlineMs ?? REQUEST_MS);
          return call.http(request);
        };
        return work({ ...call, http, open, link });
      });
      return { value };
    } catch (thrown) {
      return callFailureOf(task, thrown);
    } finally {
      end();
    }
  };
}
