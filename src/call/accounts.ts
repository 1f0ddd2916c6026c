import type { AccountRow } from '#db/access/accounts.ts';
import type { Emitted } from '#db/store/tx.ts';
import { fail, type OwnCode } from '#kernel/errors.ts';
import type { EventName } from '#kernel/events.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';

/** The metadata mark of everything that belongs to a sandbox account. */
export function sandboxMark({ network }: Pick<AccountRow, 'network'>): Readonly<{ sandbox?: true }> {
  return network === 'sandbox' ? { sandbox: true } : {};
}

/** Refuses an account whose session is known to be dead, before anything is charged. */
export function refuseDead({ id, status }: Pick<AccountRow, 'id' | 'status'>): void {
  if (status !== 'active') fail('account.reconnection_required', { meta: { id } });
}

/** The one platform of an operation, and its codes for an unknown account or template. */
export type PlatformCodes = Readonly<{ platform: PlatformSlug; noAccount: OwnCode; noTemplate: OwnCode }>;

type AccountEventFields = Pick<Emitted, 'data' | 'summary' | 'errorMessage'> &
  Readonly<{ resourceId?: string | undefined; failed?: boolean }>;

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
