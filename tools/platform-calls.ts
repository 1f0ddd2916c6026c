import type { Call } from '#call/context.ts';

/** The caller of a write: authority, workspace whose plan is charged, and progress while the client listens. */
export const callerOf = ({ authority, workspace, disconnectSignal, progress }: Call) => ({
  authority,
  workspace,
  signal: disconnectSignal(),
  progress,
});

export const PLATFORM_ERRORS = [
  'account.not_found',
  'account.reconnection_required',
  'resource.not_supported',
  'platform.*',
] as const;

/** The same for operations with a daily limit on some platforms. */
export const COUNTED_ERRORS = [...PLATFORM_ERRORS, 'platform.*.publish_limit'] as const;

/** Refusals of operations that write to a person. */
export const MESSAGE_ERRORS = [
  'platform.*.window_closed',
  'platform.*.not_deliverable',
  'platform.*.dm_scope_missing',
  'platform.*.private_reply_ineligible',
] as const;

/** Refusals of operations that act as an account's page. */
export const PAGE_ERRORS = ['account.no_active_page', 'account.page_inactive'] as const;
