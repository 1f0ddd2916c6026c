import { findAccounts, type AccountRow } from '../../../../db/access/accounts.ts';
import type { TargetRow } from '../../../../db/posts/targets.ts';
import type { Db } from '../../../../db/store/tx.ts';
import { findWorkspace, type WorkspaceRow } from '../../../../db/access/users.ts';
import { authorityOver, type Authority } from '../../../kernel/authority.ts';
import type { MediaSource, PageChoice, PageFinder } from '../../../call/ports.ts';
import { fail } from '../../../kernel/errors.ts';
import { refuseUnplanned } from '../../../kernel/plans.ts';
import type { PlatformSlug } from '../../../kernel/platforms.ts';
import type { Platform } from '../../../platforms/platform.ts';
import {
  describedBy,
  outgoing,
  overriddenKinds,
  parseOverrides,
  refsOf,
  type Content,
  type Described,
  type Overrides,
} from './content.ts';
import { issuesOf, makeTextCheck, mixes, refusedSources, type PostIssue } from './rules.ts';

/** A target as callers name it. */
export type TargetInput = Overrides &
  Readonly<{ account_id: string; page_id?: string | undefined; scheduled_at?: number | undefined }>;

export type AddressedTarget = Readonly<{
  account: AccountRow;
  page_id: string | undefined;
  scheduled_at: number | undefined;
  overrides: Overrides;
}>;

/** What targets are addressed by: the accounts they name with their pages, and the workspace, whose plan limits them. */
export type AddressBook = Readonly<{
  accounts: ReadonlyMap<string, AccountRow>;
  pageOf: PageChoice;
  workspace: WorkspaceRow | undefined;
}>;

export type ComposeDeps = Readonly<{
  db: Db;
  media: MediaSource;
  pages: PageFinder;
  platforms: ReadonlyMap<PlatformSlug, Platform>;
}>;

/** Finds the accounts that targets name; each account and page may be named once. */
export function addressTargets(
  { platforms }: ComposeDeps,
  inputs: readonly TargetInput[],
  { accounts, pageOf, workspace }: AddressBook,
): readonly AddressedTarget[] {
  refuseTwice(inputs);
  const addressed: AddressedTarget[] = [];
  for (const { account_id, page_id, scheduled_at, ...overrides } of inputs) {
    const account = accounts.get(account_id);
    if (!account) {
      fail('account.not_found', { meta: { resource: 'account', id: account_id } });
    }
    const { platform: slug } = account;
    const platform = platforms.get(slug);
    if (!platform?.posts) {
      const message = `${slug} publishes no posts here.`;
      const next = 'Name an account of a platform that get_constraints lists.';
      fail('resource.not_supported', { message, next, meta: { resource: 'posts.publish', platform: slug } });
    }
    if (workspace) refuseUnplanned(workspace, slug);
    if (page_id !== undefined && !platform.pages) {
      fail('account.pages_not_supported', { meta: { field: 'page_id', id: account_id } });
    }
    const page = page_id === undefined ? undefined : pageOf(account, page_id);
    addressed.push({ account, page_id: page?.id, scheduled_at, overrides });
  }
  refuseTwice(addressed.map(({ account, page_id }) => ({ account_id: account.id, page_id })));
  return addressed;
}

/** Looks up what addressing these targets takes. */
export async function makeAddressBook(
  composing: ComposeDeps,
  authority: Authority,
  targets: readonly Readonly<{ account_id: string }>[],
): Promise<AddressBook> {
  const accounts = await accountsOf(composing.db, authority, targets);
  const pageOf = await pagesAmong(composing, accounts.values());
  return { accounts, pageOf, workspace: await findWorkspace(composing.db, authority.workspace) };
}

/** Looks up the pages of those accounts that have some. */
export function pagesAmong({ platforms, pages }: ComposeDeps, accounts: Iterable<AccountRow>): Promise<PageChoice> {
  return pages.among([...accounts].filter(({ platform }) => platforms.get(platform)?.pages));
}

/** Refuses a draft that is to go out on a platform which has left the plan since it was written. */
export async function refuseOutgrown(
  { db }: ComposeDeps,
  workspaceId: string,
  targets: readonly AddressedTarget[],
): Promise<void> {
  const workspace = await findWorkspace(db, workspaceId);
  for (const { account } of targets) if (workspace) refuseUnplanned(workspace, account.platform);
}

function refuseTwice(targets: readonly Pick<TargetInput, 'account_id' | 'page_id'>[]): void {
  const index = targets.findIndex(isTwice());
  if (index === -1) return;
  fail('publishing.duplicate_target', { meta: { field: `targets.${index}`, id: targets[index]!.account_id } });
}

/** Tells of each target whether one before it named the same account and page. */
export function isTwice(): (target: Pick<TargetInput, 'account_id' | 'page_id'>) => boolean {
  const seen = new Set<string>();
  return ({ account_id, page_id }) => {
    const before = seen.size;
    return seen.add(JSON.stringify([account_id, page_id ?? null])).size === before;
  };
}

/** Refuses a post that is to go out where a target's account has no page that could take it. */
export async function refusePageless(
  composing: ComposeDeps,
  targets: readonly AddressedTarget[],
  known?: Pick<AddressBook, 'pageOf'>,
): Promise<void> {
  const accounts = targets.map(({ account }) => account);
  const pageOf = known?.pageOf ?? (await pagesAmong(composing, accounts));
  for (const { account, page_id } of targets) {
    if (composing.platforms.get(account.platform)?.pages && account.status === 'active') pageOf(account, page_id);
  }
}

/** The accounts the caller may see that targets name, by id. */
export async function accountsOf(
  db: Db,
  authority: Authority,
  targets: readonly Readonly<{ account_id: string }>[],
): Promise<ReadonlyMap<string, AccountRow>> {
  const ids = [...new Set(targets.map(({ account_id }) => account_id))];
  return new Map((await findAccounts(db, authority, ids)).map((row) => [row.id, row]));
}

/** Stored targets as a caller would address them; those whose account is gone are left out. */
export async function addressedOf(
  db: Db,
  workspace: string,
  targets: readonly TargetRow[],
): Promise<readonly AddressedTarget[]> {
  const accounts = await accountsOf(db, authorityOver(workspace), targets);
  return targets.flatMap((row) => {
    const account = accounts.get(row.account_id);
    if (!account) return [];
    const { page_id, scheduled_at } = row;
    const overrides = parseOverrides(row.overrides);
    return [{ account, page_id: page_id ?? undefined, scheduled_at: scheduled_at ?? undefined, overrides }];
  });
}

/** The facts of every media item that is named; refuses unknown and unready ones. */
export async function describeMedia(
  { media }: ComposeDeps,
  workspaceId: string,
  content: Content,
  overrides: readonly Overrides[],
): Promise<Described> {
  const refs = refsOf(content, overrides);
  return describedBy(refs, await media.describe(workspaceId, refs));
}

/** Targets as they are stored: each media item of their own with its kind. */
export function addressedWithKinds(
  targets: readonly AddressedTarget[],
  described: Described,
): readonly AddressedTarget[] {
  return targets.map((target) => ({ ...target, overrides: overriddenKinds(target.overrides, described) }));
}

/** What speaks against publishing, target by target. */
export function targetIssues(
  { platforms }: ComposeDeps,
  content: Content,
  targets: readonly AddressedTarget[],
  described: Described,
): readonly PostIssue[] {
  const check = makeTextCheck();
  return targets.flatMap(({ account: { id, platform }, page_id, overrides }) => {
    const connector = platforms.get(platform)!;
    const post = outgoing(content, { platform, page_id: page_id ?? null, overrides }, described);
    return issuesOf(connector, post, check).map((issue) => ({ platform, ...issue, target: id }));
  });
}

/** Refuses media sources that a target's platform does not take, known before any call (422). */
export function refuseSources({ platforms }: ComposeDeps, content: Content, targets: readonly AddressedTarget[]): void {
  for (const { account, overrides } of targets) {
    const refused = refusedSources(platforms.get(account.platform)!, refsOf(content, [overrides]))[0];
    if (refused) {
      const message = `${account.platform} does not take media by ${refused.source_type}.`;
      fail('publishing.media.unsupported_source', { message, meta: { field: 'media', id: account.id } });
    }
  }
}

/** Refuses images and videos in one post where a target's platform takes only one kind (422). */
export function refuseMixes(
  { platforms }: ComposeDeps,
  content: Content,
  targets: readonly AddressedTarget[],
  described: Described,
): void {
  for (const { account, page_id, overrides } of targets) {
    const { platform: slug, id } = account;
    const platform = platforms.get(slug)!;
    const post = outgoing(content, { platform: slug, page_id: page_id ?? null, overrides }, described);
    if ([post, ...post.segments].some(({ media }) => mixes(platform, media))) {
      const message = `${slug} takes images or videos in one post, not both.`;
      fail('publishing.media.mixing_unsupported', { message, meta: { field: 'media', id } });
    }
  }
}

/** Refuses a post that breaks a platform's rules; `meta.issues` lists all of it. */
export function refuseIssues(issues: readonly PostIssue[]): void {
  const first = issues[0];
  if (!first) return;
  fail('validation.field_invalid', {
    message: `${first.field} ${first.message} (${first.platform}).`,
    meta: { field: first.field, issues },
  });
}
