import { purgeAccount } from './erase/purge.ts';
import { makeBackfill, type BackfillDeps } from './ingest/backfill.ts';
import { makePolling, type PollingDeps } from './ingest/polling.ts';
import { makeSubscriptions, type SubscriptionDeps } from './ingest/subscriptions.ts';
import { makePushes, type PushDeps } from './ingest/pushes.ts';

export type InboundDeps = PushDeps &
  Omit<BackfillDeps, 'subscriptions'> &
  Omit<PollingDeps, 'subscriptions'> &
  SubscriptionDeps;

export function makeInbound(deps: InboundDeps) {
  const { store } = deps;
  const pushes = makePushes(deps);
  const subscriptions = makeSubscriptions(deps);
  const backfill = makeBackfill({ ...deps, subscriptions });
  const poll = makePolling({ ...deps, subscriptions });

  return Object.freeze({
    pushes,
    beforeConnected: backfill.beforeConnected,
    onConnected: backfill.onConnected,
    /** These jobs have their own queue, so that webhooks are processed without delay. */
    pushJobs: { take_push: ({ key }: Job) => pushes.take(key) },
    /** These are short, many, and due at the same second. */
    pollJobs: { poll_inbox: ({ key }: Job) => poll(key) },
    /** These jobs wait for responses of the platforms. */
    readJobs: {
      welcome_account: ({ key }: Job) => backfill.onboard(key),
      renew_push: ({ key }: Job) => subscriptions.renew(key),
    },
    purge: (accountId: string) => purgeAccount(store, accountId),
  });
}

type Job = Readonly<{ key: string }>;

export type Inbound = ReturnType<typeof makeInbound>;
