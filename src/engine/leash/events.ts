import { findAccounts } from '#db/access/accounts.ts';
import { userNames } from '#db/access/users.ts';
import type { ActionRow } from '#db/leash/actions.ts';
import type { Tx } from '#db/store/tx.ts';
import { authorityOver } from '#kernel/authority.ts';
import { isoTime } from '#kernel/clock.ts';
import type { ACTION_EVENT_DATA, EventName } from '#kernel/events.ts';

type ActionEventName = Extract<EventName, `action.${string}`>;
type ActionEventData = Readonly<Record<keyof (typeof ACTION_EVENT_DATA)['properties'], unknown>>;

/** The page on which a person decides about an action. */
export function reviewUrl(rootUrl: string, id: string): string {
  return `${rootUrl}/review/${id}`;
}

const WORDS: Readonly<Record<ActionEventName, string>> = Object.freeze({
  'action.held': 'waits for a person',
  'action.approved': 'approved',
  'action.denied': 'denied',
  'action.expired': 'expired',
  'action.completed': 'done',
  'action.failed': 'failed',
});

/** Emits an event about an action, with the action's new state. */
export async function emitAction(tx: Tx, name: ActionEventName, row: ActionRow, rootUrl: string): Promise<void> {
  const accounts = await findAccounts(tx.db, authorityOver(row.workspace_id), row.account_ids);
  const named = row.account_ids.flatMap((id) => accounts.find((account) => account.id === id) ?? []);
  const brand_ids = [...new Set(named.map(({ brand_id }) => brand_id))];
  const people = await userNames(tx.db, row.decided_by === null ? [] : [row.decided_by]);
  const data: ActionEventData = {
    action_id: row.id,
    connection_id: row.connection_id,
    client: row.client,
    tool: row.tool,
    act: row.act,
    state: row.state,
    reasons: row.reasons,
    brand_id: brand_ids[0] ?? null,
    brand_ids,
    account_ids: row.account_ids,
    review_url: reviewUrl(rootUrl, row.id),
    created_at: isoTime(row.created_at),
    expires_at: isoTime(row.expires_at),
    decided_by: people.get(row.decided_by ?? '') ?? null,
    note: row.note,
    error_code: row.error_code,
  };
  await tx.emit({
    name,
    workspaceId: row.workspace_id,
    brandId: brand_ids[0] ?? null,
    data,
    resourceId: row.id,
    accountId: named.length === 1 ? named[0]!.id : undefined,
    platform: named.length === 1 ? named[0]!.platform : undefined,
    summary: `${row.tool}: ${WORDS[name]}`,
    failed: name === 'action.failed',
  });
}
