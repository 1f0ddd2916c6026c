/** Every kind of work that waits in the queue; `src/compose/upkeep.ts` says who does it. */
export type JobKind =
  | 'follow_up_post'
  | 'poll_inbox'
  | 'purge_account'
  | 'refresh_pages'
  | 'refresh_sessions'
  | 'renew_push'
  | 'sweep_history'
  | 'sweep_media'
  | 'sweep_oauth'
  | 'take_down'
  | 'take_push'
  | 'welcome_account';
