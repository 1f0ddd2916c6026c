import { usernamesOf, type NamedAccount } from '../../../../db/access/accounts.ts';
import type { Db } from '../../../../db/store/tx.ts';
import { absence, ApiError, fail, orRefusal } from '../../../kernel/errors.ts';
import type { Authority } from '../../../kernel/authority.ts';
import { isPlatform } from '../../../kernel/platforms.ts';
import type { Draft } from './accept.ts';

/** A row of a file with the draft it asks for. */
export type Drafted = Readonly<{ row: number; draft: Draft | ApiError }>;

/** An account as people name it in a file: its platform, a colon and its username, with or without an @. Ids have no colon. */
const NAME = /^([a-z]+):@?(.+)$/;

const nameOf = ({ platform, username }: Pick<NamedAccount, 'platform' | 'username'>): string =>
  `${platform}:${username}`.toLowerCase();

/** The drafts of rows with ids of the accounts that they name by platform and username; refuses names without one. */
export async function nameAccounts(
  db: Db,
  authority: Authority,
  rows: readonly Drafted[],
): Promise<readonly Drafted[]> {
  const targets = rows.flatMap(({ draft }) => (draft instanceof ApiError ? [] : draft.targets));
  const platforms = targets.flatMap(({ account_id }) => NAME.exec(account_id)?.[1] ?? []).filter(isPlatform);
  if (platforms.length === 0 && !targets.some(({ account_id }) => NAME.test(account_id))) return rows;
  const ids = idsByName(await usernamesOf(db, authority, [...new Set(platforms)]));
  const named = (draft: Draft): Draft => ({
    ...draft,
    targets: draft.targets.map((target) => ({ ...target, account_id: idOf(target.account_id, ids) })),
  });
  return rows.map(({ row, draft }) => ({
    row,
    draft: draft instanceof ApiError ? draft : orRefusal(() => named(draft)),
  }));
}

/** How each of these accounts can be named in a file: by platform and username, or by its id where others have that. */
export function shortNames(accounts: readonly NamedAccount[]): readonly string[] {
  const ids = idsByName(accounts);
  return accounts.map((account) => {
    const { id, platform, username } = account;
    return username !== '' && ids.get(nameOf(account))!.length === 1 ? `${platform}:${username}` : id;
  });
}

function idsByName(accounts: readonly NamedAccount[]): ReadonlyMap<string, readonly string[]> {
  const ids = new Map<string, string[]>();
  for (const account of accounts) ids.set(nameOf(account), [...(ids.get(nameOf(account)) ?? []), account.id]);
  return ids;
}

function idOf(name: string, ids: ReadonlyMap<string, readonly string[]>): string {
  const [, platform, username] = NAME.exec(name.toLowerCase()) ?? [];
  if (platform === undefined) return name;
  const [id, ...others] = ids.get(`${platform}:${username}`) ?? [];
  if (id === undefined) throw absence('account', name, 'account.not_found');
  if (others.length === 0) return id;
  const candidates = [id, ...others];
  const message = `account_ids: ${name} is the name of several accounts; write the id of one: ${candidates.join(', ')}.`;
  return fail('validation.field_invalid', { message, meta: { field: 'account_ids', candidates } });
}
