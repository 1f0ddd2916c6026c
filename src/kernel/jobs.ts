/** Every kind of work that waits in the queue; `src/compose/upkeep.ts` says who does it. */
export type JobKind =
  | 'follow_up_post'
  | 'poll_inbox'
  | 'purge_account'
  | 'refresh_billing'
  | 'refresh_pages'
  | 'refresh_sessions'
  | 'renew_push'
  | 'run_export'
  | 'sweep_history'
  | 'sweep_media'
  | 'sweep_oauth'
  | 'sync_billing'
  | 'take_down'
  | 'take_push'
  | 'watch_versions'
  | 'welcome_account';
