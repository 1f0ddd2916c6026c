import { purgeAccount } from './erase/purge.ts';
import { makeHistory } from './ingest/backfill.ts';
import { makePolling } from './ingest/polling.ts';
import { makePushes } from './ingest/pushes.ts';
import { makePages } from './pages.ts';
import { makeSync } from './sync.ts';

export type InboundDeps = Parameters<typeof makePushes>[0] &
  Parameters<typeof makePages>[0] &
  Parameters<typeof makeSync>[0] &
  Omit<Parameters<typeof makeHistory>[0], 'pages'>;

/** What comes in: pushes, news that are polled for, what was there before; and the pages it comes in by. */
export function makeInbound(deps: InboundDeps) {
  const { store } = deps;
  const pages = makePages(deps);
  const pushes = makePushes(deps);
  const history = makeHistory({ ...deps, pages });
  const poll = makePolling(deps);

  return Object.freeze({
    pages,
    pushes,
    sync: makeSync(deps),
    beforeConnected: history.beforeConnected,
    onConnected: history.onConnected,
    /** Jobs that must be quick: what was pushed is seen by people as it happens. */
    pushJobs: { take_push: ({ key }: Job) => pushes.take(key) },
    /** Jobs that wait for platforms. */
    readingJobs: {
      welcome_account: ({ key }: Job) => history.welcome(key),
      poll_inbox: ({ key }: Job) => poll(key),
      refresh_pages: ({ key }: Job) => pages.refreshDaily(key),
    },
    purge: (accountId: string) => purgeAccount(store, accountId),
  });
}

type Job = Readonly<{ key: string }>;

export type Inbound = ReturnType<typeof makeInbound>;
