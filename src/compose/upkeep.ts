import { SECOND, MINUTE, HOUR } from '#kernel/clock.ts';
import { SWEEP_STEP } from '#db/delivery/sweep.ts';
import { sweepHistory } from '#db/upkeep/history.ts';
import { sweepRemovedWorkspaces } from '#db/upkeep/removed-workspaces.ts';
import type { OAuth } from '#oauth/index.ts';
import type { Base } from '#call/ports.ts';
import type { Pages } from '#engine/accounts/pages.ts';
import type { AccountSessions } from '#engine/accounts/sessions.ts';
import { expiredEntry, type Audit } from '#engine/audit/index.ts';
import type { Actions } from '#engine/leash/actions.ts';
import type { Billing } from '#engine/billing/index.ts';
import type { Delivery } from '#engine/delivery/index.ts';
import type { Exports } from '#engine/exports/index.ts';
import type { Idempotency } from '#engine/idempotency/index.ts';
import type { Inbound } from '#engine/inbox/inbound.ts';
import type { InboxModule } from '#engine/inbox/index.ts';
import { makeJobs, type JobHandler } from '#engine/jobs/index.ts';
import { makePoller } from '#engine/jobs/poller.ts';
import type { Mails } from '#engine/mail/index.ts';
import type { Notifications } from '#engine/mail/notifications.ts';
import type { Media } from '#engine/media/media.ts';
import type { JobKind } from '#kernel/jobs.ts';
import type { Publishing } from '#engine/publishing/index.ts';

type UpkeepDeps = Base &
  Readonly<{
    sessions: Pick<AccountSessions, 'refreshDue'>;
    media: Pick<Media, 'sweep' | 'sweepSpool'>;
    oauth: Pick<OAuth, 'sweep'>;
    posts: Pick<Publishing, 'followUp' | 'measuring' | 'takeDownDeleted' | 'worker'>;
    delivery: Pick<Delivery, 'sweep'>;
    inbound: Pick<Inbound, 'purge' | 'pushJobs' | 'pollJobs' | 'readJobs'>;
    accountPages: Pick<Pages, 'refreshDaily'>;
    inbox: Pick<InboxModule, 'readWords' | 'sweepSends'>;
    idempotency: Pick<Idempotency, 'sweep'>;
    billing: Pick<Billing, 'settle' | 'refreshOverdue'>;
    exports: Pick<Exports, 'run' | 'sweep'>;
    mails: Pick<Mails, 'send'>;
    notifications: Pick<Notifications, 'send'>;
    actions: Pick<Actions, 'expire'>;
    written: Pick<Audit, 'note'>;
    /** Runs an action that a person has approved. */
    runAction(id: string): Promise<{ again: number } | undefined>;
    /** Removes the media of actions that were never run; returns the number of these actions. */
    sweepFiles(): Promise<number>;
    /** Logs API versions that end soon. */
    warnOfVersions(): void;
  }>;

/** Jobs that start a minute after the process, and then reschedule themselves. */
const RECURRING = [
  'measure_posts',
  'refresh_billing',
  'sweep_media',
  'sweep_oauth',
  'sweep_history',
  'watch_versions',
] as const;

/** Jobs that have a queue of their own. */
type Elsewhere =
  | 'follow_up_post'
  | 'measure_account'
  | 'run_action'
  | 'run_export'
  | 'send_mail'
  | 'send_notifications'
  | keyof Inbound['pushJobs']
  | keyof Inbound['pollJobs']
  | keyof Inbound['readJobs']
  | 'refresh_pages'
  | 'sync_billing';

/** Their writes share commits, so many are needed to keep the disk busy. */
const PUSHES_AT_ONCE = 64;
/** A poll waits for the platform most of its time. */
const POLLS_AT_ONCE = 32;

/** Creates the background work except deliveries: job queues, handlers, loops and recurring jobs. */
export function makeUpkeep({ store, clock, log, meter, trace, posts, inbound, accountPages, ...modules }: UpkeepDeps) {
  const {
    sessions,
    media,
    oauth,
    delivery,
    inbox,
    idempotency,
    billing,
    exports,
    actions,
    written,
    runAction,
    mails,
    notifications,
    sweepFiles,
    warnOfVersions,
  } = modules;

  const handlers: Readonly<Record<Exclude<JobKind, Elsewhere>, JobHandler>> = Object.freeze({
    measure_posts: () => posts.measuring.plan(),
    expire_action: async ({ key }) => {
      const expired = await actions.expire(key);
      if (expired) await written.note(expiredEntry(expired));
    },
    take_down: ({ key }) => posts.takeDownDeleted(key),
    purge_account: ({ key }) => inbound.purge(key),
    read_words: async ({ key }) => ((await inbox.readWords(key)) ? { again: SECOND / 5 } : undefined),
    refresh_sessions: async () => ({ again: (await sessions.refreshDue()) > 0 ? SECOND : MINUTE }),
    refresh_billing: async () => {
      await billing.refreshOverdue();
      return { again: HOUR };
    },
    sweep_media: async () => {
      await media.sweepSpool();
      await media.sweep();
      return { again: HOUR };
    },
    sweep_oauth: async () => ({ again: (await oauth.sweep()) > 0 ? SECOND : 10 * MINUTE }),
    watch_versions: async () => {
      warnOfVersions();
      return { again: 24 * HOUR };
    },
    sweep_history: async () => {
      const deliveries = await delivery.sweep();
      const left = await store.write((tx) => sweepRemovedWorkspaces(tx.db, SWEEP_STEP));
      const deleted = await store.write((tx) => sweepHistory(tx.db, clock.now(), SWEEP_STEP));
      const sends = await inbox.sweepSends();
      const repeats = await idempotency.sweep();
      const expired = await exports.sweep();
      const files = await sweepFiles();
      const pages = await store.tidy();
      return { again: deliveries + left + deleted + sends + repeats + expired + files + pages > 0 ? SECOND : HOUR };
    },
  });
  // Separate queues, so that a slow platform delays neither its pushes nor anything else.
  const readJobs = {
    ...inbound.readJobs,
    refresh_pages: ({ key }: Parameters<JobHandler>[0]) => accountPages.refreshDaily(key),
    measure_account: ({ key }: Parameters<JobHandler>[0]) => posts.measuring.measure(key),
  };
  const mailJobs = {
    send_mail: ({ key }: Parameters<JobHandler>[0]) => mails.send(key),
    send_notifications: ({ key }: Parameters<JobHandler>[0]) => notifications.send(key),
  };
  const base = { store, clock, log, meter, trace };
  const queues = Object.freeze({
    jobs: makeJobs({ ...base, handlers }),
    posts: makeJobs({ ...base, handlers: { follow_up_post: ({ key }) => posts.followUp(key) } }),
    pushes: makeJobs({ ...base, handlers: inbound.pushJobs, atOnce: PUSHES_AT_ONCE }),
    polls: makeJobs({ ...base, handlers: inbound.pollJobs, atOnce: POLLS_AT_ONCE }),
    inbox: makeJobs({ ...base, handlers: readJobs }),
    billing: makeJobs({ ...base, handlers: { sync_billing: ({ key }) => billing.settle(key) } }),
    actions: makeJobs({ ...base, handlers: { run_action: ({ key }) => runAction(key) } }),
    mails: makeJobs({ ...base, handlers: mailJobs }),
    exports: makeJobs({ ...base, handlers: { run_export: ({ key }) => exports.run(key) } }),
  });
  const publishing = { clock, log, name: 'publishing', work: posts.worker };
  const pollers = [
    makePoller({ ...publishing, onWake: (wake) => store.onCommit('targets', wake) }),
    ...Object.entries(queues).map(([name, work]) => makePoller({ clock, log, name, work, onWake: work.onWake })),
  ];

  return Object.freeze({
    queues,
    pollers,

    async enqueueRecurring(): Promise<void> {
      const now = clock.now();
      await store.write(async (tx) => {
        await tx.enqueue({ kind: 'refresh_sessions', key: 'all', runAt: now });
        for (const kind of RECURRING) {
          await tx.enqueue({ kind, key: 'all', runAt: now + MINUTE });
        }
      });
    },
  });
}
