/** Kinds of jobs in the queue; `src/compose/upkeep.ts` maps each to its handler. */
export const JOB_KINDS = [
  'expire_action',
  'follow_up_post',
  'measure_account',
  'measure_posts',
  'poll_inbox',
  'purge_account',
  'read_words',
  'refresh_billing',
  'refresh_pages',
  'refresh_sessions',
  'renew_push',
  'run_action',
  'run_export',
  'send_mail',
  'send_notifications',
  'sweep_history',
  'sweep_media',
  'sweep_oauth',
  'sync_billing',
  'take_down',
  'take_push',
  'watch_versions',
  'welcome_account',
] as const;

export type JobKind = (typeof JOB_KINDS)[number];
