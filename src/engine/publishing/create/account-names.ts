import { usernamesOf, type NamedAccount } from '#db/access/accounts.ts';
import type { Db } from '#db/store/tx.ts';
import { absence, ApiError, fail, orRefusal } from '#kernel/errors.ts';
import type { Authority } from '#kernel/authority.ts';
import { isPlatform, type PlatformSlug } from '#kernel/platforms.ts';
import type { Draft } from './accept.ts';

export type Drafted = Readonly<{ row: number; draft: Draft | ApiError }>;

/** An account in a file: platform, colon and username, optionally with @. Ids have no colon. */
const NAME = /^([a-z]+):@?(.+)$/;

const platformIn = (name: string): string | undefined => NAME.exec(name.toLowerCase())?.[1];

const LONGEST_NAME = 128;

const nameOf = ({ platform, username }: Pick<NamedAccount, 'platform' | 'username'>): string =>
  `${platform}:${username}`.toLowerCase();

type Ids = ReadonlyMap<string, readonly string[]>;

/** Replaces account names in drafts by ids; looks up each platform's accounts only once. */
export function makeAccountNames(db: Db, authority: Authority) {
  const request = new Set<PlatformSlug>();
  const ids = new Map<string, readonly string[]>();

  async function lookUp(targets: Draft['targets']): Promise<void> {
    const named = new Set(targets.flatMap(({ account_id }) => platformIn(account_id) ?? []).filter(isPlatform));
    const platforms = [...named].filter((platform) => !request.has(platform));
    for (const [name, found] of idsByName(await usernamesOf(db, authority, platforms))) ids.set(name, found);
    for (const platform of platforms) request.add(platform);
  }

  return async function nameAccounts(rows: readonly Drafted[]): Promise<readonly Drafted[]> {
    await lookUp(rows.flatMap(({ draft }) => (draft instanceof ApiError ? [] : draft.targets)));
    const named = (draft: Draft): Draft => ({
      ...draft,
      targets: draft.targets.map((target) => ({ ...target, account_id: idOf(target.account_id, ids) })),
    });
    return rows.map(({ row, draft }) => ({
      row,
      draft: draft instanceof ApiError ? draft : orRefusal(() => named(draft)),
    }));
  };
}

/** How a file names each account: by platform and username if that is unambiguous, else by id. */
export function shortNames(accounts: readonly NamedAccount[]): readonly string[] {
  const ids = idsByName(accounts);
  return accounts.map(({ id, platform, username }) => {
    const name = `${platform}:${username}`;
    const [found, ...others] = isCell(name) ? (idsOf(name, ids) ?? []) : [];
    return found === id && others.length === 0 ? name : id;
  });
}

/** Whether a name can be written into a cell that lists several. */
const isCell = (name: string): boolean => name.length <= LONGEST_NAME && name === name.trim() && !/[|\r\n]/.test(name);

function idsByName(accounts: readonly NamedAccount[]): Ids {
  const ids = new Map<string, string[]>();
  for (const account of accounts) ids.set(nameOf(account), [...(ids.get(nameOf(account)) ?? []), account.id]);
  return ids;
}

/** The ids of the accounts with this name; undefined if it is an id itself. */
function idsOf(name: string, ids: Ids): readonly string[] | undefined {
  const [, platform, username] = NAME.exec(name.toLowerCase()) ?? [];
  return platform === undefined ? undefined : (ids.get(`${platform}:${username}`) ?? []);
}

function idOf(name: string, ids: Ids): string {
  const candidates = idsOf(name, ids);
  if (candidates === undefined) return name;
  const [id, ...others] = candidates;
  if (id === undefined) throw absence('account', name, 'account.not_found');
  if (others.length === 0) return id;
  const message = `account_ids: ${name} is the name of several accounts; write the id of one: ${candidates.join(', ')}.`;
  return fail('validation.field_invalid', { message, meta: { field: 'account_ids', candidates } });
}
