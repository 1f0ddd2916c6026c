import type { AccountRow } from '../../db/access/accounts.ts';
import type { Emitted } from '../../db/store/tx.ts';
import type { EventName } from '../kernel/events.ts';

/** What everything about an account of the sandbox says in its metadata. */
export function sandboxMark({ network }: Pick<AccountRow, 'network'>): Readonly<{ sandbox?: true }> {
  return network === 'sandbox' ? { sandbox: true } : {};
}

type AccountEventFields = Pick<Emitted, 'data' | 'summary'> &
  Readonly<{ resourceId?: string | undefined; failed?: boolean }>;

/** An event of an account, with what routing and the activity log need. */
export function accountEvent(account: AccountRow, name: EventName, fields: AccountEventFields): Emitted {
  return {
    name,
    workspaceId: account.workspace_id,
    brandId: account.brand_id,
    accountId: account.id,
    platform: account.platform,
    ...fields,
  };
}

/** The event data about the account itself. */
export function accountData(account: AccountRow, fields: Readonly<Record<string, unknown>>) {
  const { id: account_id, brand_id, platform, network } = account;
  return {
    account_id,
    brand_id,
    platform,
    ...fields,
    ...(network === 'sandbox' && { metadata: sandboxMark(account) }),
  };
}
