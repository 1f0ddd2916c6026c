import type { Store } from '#db/store/store.ts';
import type { Network } from '#db/schema/database.ts';
import type { PlannedPlatforms } from '#kernel/plans.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import type { Authority } from '#kernel/authority.ts';
import type { CrashPoint, FetchFile, MediaSource, PageFinder, QuotaCounter, Sessions } from '#call/ports.ts';
import type { Clock } from '#kernel/clock.ts';
import type { Sealer } from '#kernel/seal.ts';
import type { Lists } from '#kernel/pagination.ts';
import type { Log } from '#kernel/log.ts';
import { untraced, type Trace } from '#kernel/metrics/trace.ts';
import type { Platforms } from '#platforms/lookup.ts';
import { makeAttempt } from './attempt/attempt.ts';
import { makeFollowUp } from './attempt/follow-up.ts';
import { makeRunner } from './attempt/runner.ts';
import { makeStepValues } from './attempt/step-values.ts';
import { makeWorker, type Claimed, type WorkerSlots } from './attempt/worker.ts';
import { makeRemoving } from './change/removing.ts';
import { makeReschedule } from './change/reschedule.ts';
import { makeRetry } from './change/retry.ts';
import { makeTakedown } from './change/takedown.ts';
import { makeInRequest } from './attempt/in-request.ts';
import { giveUpDue } from './change/give-up.ts';
import { makePublish } from './change/publish.ts';
import { makeUpdate } from './change/update.ts';
import { makeCreate } from './create/create.ts';
import { makeConstraints } from './content/constraints.ts';
import { makeValidation } from './content/validate.ts';
import { makeImport } from './create/import.ts';
import { makeImportTemplate } from './create/import-template.ts';
import { makeLookup } from './read/lookup.ts';
import { makeAnalytics } from './metrics/analytics.ts';
import { makeMeasuring } from './metrics/measuring.ts';
import { makeMetrics } from './metrics/read.ts';
import { makePostReader } from './read/post-reader.ts';

export type PublishingDeps = Readonly<{
  store: Store;
  sessions: Sessions;
  quotas: Pick<QuotaCounter, 'pace'>;
  media: MediaSource;
  fetchFile: FetchFile;
  pages: PageFinder;
  sealer: Sealer;
  networkOf(platform: PlatformSlug): Network;
  platforms: Platforms;
  plannedPlatforms: PlannedPlatforms;
  clock: Clock;
  log: Log;
  trace?: Trace | undefined;
  lists: Lists;
  crash: CrashPoint;
  /** Posts that are overdue by more than this are not published any more. */
  maxLatenessMs: number;
  waitMs: number;
  slots?: WorkerSlots;
}>;

/** How long a request waits for publishing; unfinished targets continue by themselves. */
export const PUBLISH_WAIT_MS = 20_000;

export function makePublishing(deps: PublishingDeps) {
  const {
    store,
    platforms,
    plannedPlatforms,
    clock,
    log,
    trace = untraced,
    waitMs,
    maxLatenessMs,
    media,
    pages,
    networkOf,
  } = deps;
  const lookup = makeLookup(store);
  const attempt = makeAttempt(deps);
  const values = makeStepValues(deps.sealer);
  const run = makeRunner({ ...deps, attempt, values });
  const traced = (root?: true) => (id: string, token: string, claimed?: Claimed) =>
    trace({ name: 'publish', ...(root && { root }), attributes: { 'rostra.target_id': id } }, (span) =>
      run(id, token, { span, claimed }),
    );
  const runTarget = traced();
  const followUp = makeFollowUp({ store, clock, runTarget });
  const worker = makeWorker({ store, clock, runTarget: traced(true), maxLatenessMs, slots: deps.slots });
  const composing = { db: store.db, media, pages, platforms, plannedPlatforms, networkOf };
  const inRequest = makeInRequest({ store, clock, lookup, runTarget, worker, waitMs });
  const updating = makeUpdate({ store, clock, composing, lookup });
  const metricsOf = makeMetrics(deps);

  return Object.freeze({
    worker,
    followUp,
    measuring: makeMeasuring(deps),
    analytics: makeAnalytics({ store, clock }),
    outcome: inRequest.outcome,
    create: makeCreate({ store, clock, composing, inRequest }),
    update: updating.update,
    reschedule: makeReschedule({ store, clock, lookup, updating }),
    giveUpDue: () => giveUpDue({ store, clock }),
    publish: makePublish({ store, clock, composing, lookup, inRequest }),
    retry: makeRetry({ store, clock, attempt, values, lookup, platforms }),
    ...makeRemoving({ store, clock, log, lookup, takedowns: makeTakedown({ ...deps, values }) }),
    ...makePostReader({ store, clock, lists: deps.lists, lookup }),
    validate: makeValidation({ ...composing, clock }),
    importTemplate: makeImportTemplate({ db: store.db, platforms }),
    importPosts: makeImport({ store, clock, composing, lookup, fetchFile: deps.fetchFile }),

    async metrics(authority: Authority, id: string) {
      return { data: await metricsOf(authority, await lookup.anyPost(authority, id)) };
    },

    constraints: makeConstraints({ ...deps, maxBytes: deps.media.maxBytes }),
  });
}

export type Publishing = ReturnType<typeof makePublishing>;
