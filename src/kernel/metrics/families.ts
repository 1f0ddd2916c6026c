import { JOB_KINDS } from '../jobs.ts';
import { MAIL_KINDS } from '../people/mail.ts';
import { PLATFORMS } from '../platforms.ts';

/** The description of a metric; dashboards and alerts rely on its name and labels. */
export type Family = Readonly<{
  name: string;
  type: 'counter' | 'gauge' | 'histogram';
  help: string;
  labels: readonly string[];
  /** All values of those labels whose values are known in advance. */
  values?: Readonly<Record<string, readonly string[]>>;
  /** Upper bounds of a histogram's buckets, in seconds. */
  buckets?: readonly number[];
}>;

/** Counters of this process, which start at 0 when it starts. */
export const COUNTERS = Object.freeze({
  requests: {
    name: 'rostra_http_requests_total',
    type: 'counter',
    help: 'Requests answered, by route; of MCP, by tool.',
    labels: ['facade', 'method', 'route', 'status'],
  },
  targets: {
    name: 'rostra_post_targets_total',
    type: 'counter',
    help: 'Posts that ended on one account: published, failed, or skipped (given up before anything was sent).',
    labels: ['platform', 'outcome'],
    values: { platform: PLATFORMS, outcome: ['published', 'failed', 'skipped'] },
  },
  platformCalls: {
    name: 'rostra_platform_calls_total',
    type: 'counter',
    help: 'Requests to platforms: ok, refused (4xx), unauthorized (401, 403), throttled (429), failed (5xx), unanswered.',
    labels: ['platform', 'outcome'],
    values: { platform: PLATFORMS, outcome: ['ok', 'refused', 'unauthorized', 'throttled', 'failed', 'unanswered'] },
  },
  refreshes: {
    name: 'rostra_session_refreshes_total',
    type: 'counter',
    help: 'Refreshes of sessions of accounts: renewed, failed (tried again), or ended (to be connected again).',
    labels: ['platform', 'outcome'],
    values: { platform: PLATFORMS, outcome: ['renewed', 'failed', 'ended'] },
  },
  disconnections: {
    name: 'rostra_account_disconnections_total',
    type: 'counter',
    help: 'Accounts that lost their access and must be connected again.',
    labels: ['platform'],
    values: { platform: PLATFORMS },
  },
  inbound: {
    name: 'rostra_inbound_events_total',
    type: 'counter',
    help: 'Messages, comments and other events read from platforms, by the way they came.',
    labels: ['platform', 'way'],
    values: { platform: PLATFORMS, way: ['push', 'poll', 'history'] },
  },
  mails: {
    name: 'rostra_mails_total',
    type: 'counter',
    help: 'Mails: sent (the mail server accepted it), delayed (tried again later), or failed (given up).',
    labels: ['kind', 'outcome'],
    values: { kind: MAIL_KINDS, outcome: ['sent', 'delayed', 'failed'] },
  },
  deliveries: {
    name: 'rostra_webhook_attempts_total',
    type: 'counter',
    help: 'Attempts to deliver webhooks: delivered, retried (tried again later), or failed (given up).',
    labels: ['outcome'],
    values: { outcome: ['delivered', 'retried', 'failed'] },
  },
  jobs: {
    name: 'rostra_jobs_total',
    type: 'counter',
    help: 'Jobs in the background, by kind: done, or failed (tried again later).',
    labels: ['kind', 'outcome'],
    values: { kind: JOB_KINDS, outcome: ['done', 'failed'] },
  },
  backups: {
    name: 'rostra_backups_total',
    type: 'counter',
    help: 'Regular backups into BACKUP_TO: made, or failed (tried again later).',
    labels: ['outcome'],
    values: { outcome: ['made', 'failed'] },
  },
} as const satisfies Record<string, Family>);

const REQUEST_BUCKETS = Object.freeze([0.025, 0.1, 0.5, 2.5, 10]);

/** Histograms of this process, in seconds. */
export const HISTOGRAMS = Object.freeze({
  requestTime: {
    name: 'rostra_http_request_duration_seconds',
    type: 'histogram',
    help: 'Time until a request was answered, by route; of MCP, by tool.',
    labels: ['facade', 'method', 'route'],
    buckets: REQUEST_BUCKETS,
  },
  lateness: {
    name: 'rostra_publish_lateness_seconds',
    type: 'histogram',
    help: 'From when a post was due until it was published on an account; retries are left out.',
    labels: ['platform'],
    values: { platform: PLATFORMS },
    buckets: [1, 5, 15, 60, 300, 1800, 7200],
  },
  platformTime: {
    name: 'rostra_platform_call_duration_seconds',
    type: 'histogram',
    help: 'Time until a platform answered a request.',
    labels: ['platform'],
    values: { platform: PLATFORMS },
    buckets: [0.1, 0.5, 2, 10, 30],
  },
  deliveryTime: {
    name: 'rostra_webhook_duration_seconds',
    type: 'histogram',
    help: 'Time until a receiver answered a webhook, or did not.',
    labels: [],
    buckets: [0.05, 0.25, 1, 5, 15],
  },
  storeTime: {
    name: 'rostra_store_transaction_duration_seconds',
    type: 'histogram',
    help: 'Time of a transaction that writes, with the wait for its turn.',
    labels: [],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10],
  },
} as const satisfies Record<string, Family>);

/** Gauges that are read on request; those of the store are equal in all processes that use it. */
export const GAUGES = Object.freeze({
  info: {
    name: 'rostra_build_info',
    type: 'gauge',
    help: 'Always 1; its labels say what runs.',
    labels: ['version', 'store'],
  },
  ready: { name: 'rostra_ready', type: 'gauge', help: '1 while /readyz answers 200, else 0.', labels: [] },
  paused: { name: 'rostra_paused', type: 'gauge', help: '1 while the server is paused, else 0.', labels: [] },
  storeUp: {
    name: 'rostra_store_up',
    type: 'gauge',
    help: '1 if the store could be read for this answer, else 0; the gauges of the store are left out then.',
    labels: [],
  },
  storeSize: { name: 'rostra_store_size_bytes', type: 'gauge', help: 'Size of the database.', labels: [] },
  mediaSize: { name: 'rostra_media_size_bytes', type: 'gauge', help: 'Size of all stored media.', labels: [] },
  diskFree: { name: 'rostra_disk_free_bytes', type: 'gauge', help: 'Free space below DATA_DIR.', labels: [] },
  targetsDue: {
    name: 'rostra_post_targets_due',
    type: 'gauge',
    help: 'Posts that are due on an account and not under way, at most 10000.',
    labels: [],
  },
  targetsOverdue: {
    name: 'rostra_post_overdue_seconds',
    type: 'gauge',
    help: 'For how long the oldest of them has been due; 0 if none is.',
    labels: [],
  },
  jobsDue: {
    name: 'rostra_jobs_due',
    type: 'gauge',
    help: 'Jobs that are due and not under way, by kind, at most 10000 each.',
    labels: ['kind'],
  },
  jobsOverdue: {
    name: 'rostra_job_overdue_seconds',
    type: 'gauge',
    help: 'For how long the oldest of them has been due; 0 if none is.',
    labels: ['kind'],
  },
  deliveriesDue: {
    name: 'rostra_webhook_deliveries_due',
    type: 'gauge',
    help: 'Webhook deliveries that are due and not under way, at most 10000.',
    labels: [],
  },
  deliveriesOverdue: {
    name: 'rostra_webhook_overdue_seconds',
    type: 'gauge',
    help: 'For how long the oldest of them has been due; 0 if none is.',
    labels: [],
  },
  endpoints: {
    name: 'rostra_webhook_endpoints',
    type: 'gauge',
    help: 'Webhook endpoints: ok, failing (their last delivery was refused), or off.',
    labels: ['state'],
  },
  accounts: {
    name: 'rostra_accounts',
    type: 'gauge',
    help: 'Connected accounts, by platform and state.',
    labels: ['platform', 'state'],
  },
  quota: {
    name: 'rostra_quota_remaining',
    type: 'gauge',
    help: "What is left of a platform's quota in its window, for the app or account that used most of it.",
    labels: ['platform', 'quota'],
  },
} as const satisfies Record<string, Family>);

/** All metrics that Rostra defines. */
export const FAMILIES: readonly Family[] = Object.freeze(
  [COUNTERS, HISTOGRAMS, GAUGES].flatMap((families) => Object.values<Family>(families)),
);
