import type { AccountRow } from '#db/access/accounts.ts';
import type { Emitted } from '#db/store/tx.ts';
import { fail, type OwnCode } from '#kernel/errors.ts';
import type { EventName } from '#kernel/events.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';

/** What everything about an account of the sandbox says in its metadata. */
export function sandboxMark({ network }: Pick<AccountRow, 'network'>): Readonly<{ sandbox?: true }> {
  return network === 'sandbox' ? { sandbox: true } : {};
}

/** Refuses a session that is known to be dead, before anything is charged. */
export function refuseDead({ id, status }: Pick<AccountRow, 'id' | 'status'>): void {
  if (status !== 'active') fail('account.reconnection_required', { meta: { id } });
}

/** The platform of operations that no other has, with its codes for an account and a template that there is none of. */
export type PlatformCodes = Readonly<{ platform: PlatformSlug; noAccount: OwnCode; noTemplate: OwnCode }>;

type AccountEventFields = Pick<Emitted, 'data' | 'summary' | 'errorMessage'> &
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
