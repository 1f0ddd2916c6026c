import type { Network, Overrides } from '#db/schema/database.ts';
import { findAccounts, noAccount, type AccountRow } from '#db/access/accounts.ts';
import type { TargetRow } from '#db/posts/targets.ts';
import type { Db } from '#db/store/tx.ts';
import { authorityOver, type Authority, type Workspace } from '#kernel/authority.ts';
import type { MediaSource, PageChoice, PageFinder } from '#call/ports.ts';
import { fail } from '#kernel/errors.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import type { PlannedPlatforms } from '#kernel/plans.ts';
import { hasPages, platformFor, type Platforms } from '#platforms/lookup.ts';

export type TargetInput = Overrides &
  Readonly<{ account_id: string; page_id?: string | undefined; scheduled_at?: number | undefined }>;

export type AddressedTarget = Readonly<{
  account: AccountRow;
  page_id: string | undefined;
  scheduled_at: number | undefined;
  overrides: Overrides;
}>;

/** The accounts that targets name, and how to choose a page of them. */
export type AddressBook = Readonly<{ accounts: ReadonlyMap<string, AccountRow>; choosePage: PageChoice }>;

export type ComposeDeps = Readonly<{
  db: Db;
  media: MediaSource;
  pages: PageFinder;
  platforms: Platforms;
  plannedPlatforms: PlannedPlatforms;
  networkOf(platform: PlatformSlug): Network;
}>;

/** Finds the accounts of targets; each account and page may be named once. */
export function addressTargets(
  { platforms, plannedPlatforms }: ComposeDeps,
  workspace: Workspace,
  inputs: readonly TargetInput[],
  { accounts, choosePage }: AddressBook,
): readonly AddressedTarget[] {
  refuseTwice(inputs);
  const addressed: AddressedTarget[] = [];
  for (const { account_id, page_id, scheduled_at, ...overrides } of inputs) {
    const account = accounts.get(account_id) ?? noAccount(account_id);
    const { platform: slug } = account;
    const platform = platformFor(platforms, account);
    if (!platform?.posts) {
      const message = `${slug} publishes no posts here.`;
      const next = 'Use an account of a platform that get_constraints lists.';
      fail('resource.not_supported', { message, next, meta: { resource: 'posts.publish', platform: slug } });
    }
    plannedPlatforms.refuse(workspace, slug);
    if (page_id !== undefined && !platform.pages) {
      fail('account.pages_not_supported', { meta: { field: 'page_id', id: account_id } });
    }
    const page = page_id === undefined ? undefined : choosePage(account, page_id);
    addressed.push({ account, page_id: page?.id, scheduled_at, overrides });
  }
  refuseTwice(addressed.map(({ account, page_id }) => ({ account_id: account.id, page_id })));
  return addressed;
}

export async function makeAddressBook(
  composing: ComposeDeps,
  authority: Authority,
  targets: readonly Readonly<{ account_id: string }>[],
): Promise<AddressBook> {
  const accounts = await accountsOf(composing.db, authority, targets);
  return { accounts, choosePage: await pagesAmong(composing, accounts.values()) };
}

export function pagesAmong({ platforms, pages }: ComposeDeps, accounts: Iterable<AccountRow>): Promise<PageChoice> {
  return pages.among([...accounts].filter((account) => hasPages(platforms, account)));
}

/** Refuses a draft for a platform that the plan no longer includes. */
export function refuseOverLimit(
  { plannedPlatforms }: ComposeDeps,
  workspace: Workspace,
  targets: readonly AddressedTarget[],
): void {
  for (const { account } of targets) plannedPlatforms.refuse(workspace, account.platform);
}

function refuseTwice(targets: readonly Pick<TargetInput, 'account_id' | 'page_id'>[]): void {
  const index = targets.findIndex(isTwice());
  if (index === -1) return;
  fail('publishing.duplicate_target', { meta: { field: `targets.${index}`, id: targets[index]!.account_id } });
}

/** For each target, whether an earlier one has the same account and page. */
export function isTwice(): (target: Pick<TargetInput, 'account_id' | 'page_id'>) => boolean {
  const seen = new Set<string>();
  return ({ account_id, page_id }) => {
    const before = seen.size;
    return seen.add(JSON.stringify([account_id, page_id ?? null])).size === before;
  };
}

export async function accountsOf(
  db: Db,
  authority: Authority,
  targets: readonly Readonly<{ account_id: string }>[],
): Promise<ReadonlyMap<string, AccountRow>> {
  const ids = [...new Set(targets.map(({ account_id }) => account_id))];
  return new Map((await findAccounts(db, authority, ids)).map((row) => [row.id, row]));
}

/** A target's own time, moved with its post; undefined if it has none. */
export const movedTime = (own: number | null, shift: number): number | undefined =>
  own === null ? undefined : own + shift;

/** Stored targets in the form of a request, moved in time; those of removed accounts are left out. */
export async function addressedOf(
  db: Db,
  workspace: string,
  targets: readonly TargetRow[],
  shift = 0,
): Promise<readonly AddressedTarget[]> {
  const accounts = await accountsOf(db, authorityOver(workspace), targets);
  return targets.flatMap((row) => {
    const account = accounts.get(row.account_id);
    if (!account) return [];
    const { page_id, scheduled_at, overrides } = row;
    return [{ account, page_id: page_id ?? undefined, scheduled_at: movedTime(scheduled_at, shift), overrides }];
  });
}
