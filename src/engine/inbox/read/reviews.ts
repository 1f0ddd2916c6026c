import { listAccounts, type AccountRow } from '#db/access/accounts.ts';
import { NEVER } from '#db/schema/database.ts';
import type { Store } from '#db/store/store.ts';
import type { Authority } from '#kernel/authority.ts';
import type { Clock } from '#kernel/clock.ts';
import { explain } from '#kernel/envelope.ts';
import { ApiError } from '#kernel/errors.ts';
import { mapAtOnce } from '#kernel/limits/at-once.ts';
import { atCursor, type Lists, type PageQuery, type Position } from '#kernel/pagination.ts';
import type { Platform } from '#platforms/platform.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import type { PlatformReview } from '#platforms/inbox-types.ts';
import { record } from '../record/record.ts';
import type { Lookup } from './lookup.ts';
import { presentReview } from './present-inbox.ts';

/** How many accounts are read at the same time. A workspace may have hundreds. */
const AT_ONCE = 8;

type ReviewDeps = Readonly<{ store: Store; clock: Clock; lists: Lists; lookup: Lookup }>;

/** A position in an account's reviews: the next page to read, and the id and time of the last listed review. */
type ListPosition = Readonly<{ account: string; page: string | null; last: string | null; at: number | null }>;

/** A page of an account's reviews, without those that were already listed. */
type ReviewPage = Readonly<{
  account: AccountRow;
  page: string | undefined;
  items: readonly PlatformReview[];
  next: string | undefined;
}>;

type Failed = Readonly<{ account: AccountRow; error: ApiError }>;

export type ReviewFilter = {
  account_id?: string | undefined;
  brand_id?: string | undefined;
  platform?: PlatformSlug | undefined;
  since?: number | undefined;
};

export function makeReviews({ store, clock, lists, lookup }: ReviewDeps) {
  const learn = (account: AccountRow, reviews: readonly PlatformReview[]): Promise<boolean> =>
    store.write((tx) => {
      const events = reviews.map((review) => ({ kind: 'review', review }) as const);
      return record(tx, account, events, { silent: true, now: clock.now() });
    });

  async function accountsOf(authority: Authority, { account_id: id, brand_id: brandId, platform }: ReviewFilter) {
    if (id === undefined) {
      const all = await listAccounts(store.db, authority, { brandId, platform });
      return all.filter((account) => lookup.findConnector(account)?.reviews !== undefined);
    }
    const account = await lookup.accountOf(authority, id);
    reviewsOf(account, 'reviews.list');
    return brandId === undefined || account.brand_id === brandId ? [account] : [];
  }

  /** Reads the page of an account's reviews that follows `position`. */
  async function reviewPageOf(
    account: AccountRow,
    {
      position,
      limit,
      since,
    }: Readonly<{ position: ListPosition | undefined; limit: number; since: number | undefined }>,
  ): Promise<ReviewPage | Failed> {
    const page = position?.page ?? undefined;
    try {
      const request = { limit, cursor: page, since };
      const listed = await lookup.callPlatform(account, (call) =>
        reviewsOf(account, 'reviews.list').list(call, request),
      );
      await learn(account, listed.items);
      const late = listed.items.filter(({ created_at }) => created_at > (since ?? -1));
      // The list is ordered by last change, so if this one changed too long ago, all later ones did.
      const over = since !== undefined && (listed.items.at(-1)?.updated_at ?? NEVER) <= since;
      return { account, page, items: notYetListed(late, position), next: over ? undefined : listed.cursor };
    } catch (error) {
      if (error instanceof ApiError) return { account, error };
      throw error;
    }
  }

  const reviewsOf = (account: AccountRow, resource: string): NonNullable<Platform['reviews']> =>
    lookup.capabilityOf(account, resource, (connector) => connector.reviews);

  /** Reads the next page of the reviews of all accounts. */
  async function readPage(authority: Authority, filters: ReviewFilter, from: Position | undefined, limit: number) {
    await lookup.checkFilter(authority, filters);
    const { since } = filters;
    const positions =
      from && new Map((JSON.parse(from.id) as ListPosition[]).map((position) => [position.account, position]));
    const all = await accountsOf(authority, filters);
    const accounts = positions ? all.filter(({ id }) => positions.has(id)) : all;
    const answers = await mapAtOnce(accounts, AT_ONCE, (account) =>
      reviewPageOf(account, { position: positions?.get(account.id), limit, since }),
    );
    const failed = answers.filter((one): one is Failed => 'error' in one);
    const reviewPages = answers.filter((one): one is ReviewPage => 'items' in one);
    const { merged, left } = merge(reviewPages, limit, positions);
    // Accounts that failed are retried with the next page; the list ends when only such accounts are left.
    const again = left.length === 0 ? [] : failed.map(({ account }) => positions?.get(account.id) ?? fresh(account.id));
    const rest = [...left, ...again];
    const meta = {
      accounts_queried: accounts.length,
      accounts_failed: failed.length,
      failed_accounts: failed.map(({ account, error }) => ({
        account_id: account.id,
        platform: account.platform,
        code: error.code,
        error: explain(error),
      })),
    };
    return {
      items: merged.map(({ account, review }) => presentReview(review, account)),
      next: atCursor(rest.length === 0 ? undefined : JSON.stringify(rest)),
      extra: { meta },
    };
  }

  return Object.freeze({
    list: (authority: Authority, given: ReviewFilter, query: PageQuery) =>
      lists.live(query, {
        name: 'reviews',
        given,
        read: (filters, from) => readPage(authority, filters, from, query.limit),
      }),
  });
}

const fresh = (account: string): ListPosition => ({ account, page: null, last: null, at: null });

/** The reviews after the last listed one; if that one was removed, those that are older. */
function notYetListed(items: readonly PlatformReview[], position: ListPosition | undefined): readonly PlatformReview[] {
  const index = items.findIndex(({ platform_id }) => platform_id === position?.last);
  if (index >= 0) return items.slice(index + 1);
  const at = position?.at ?? NEVER;
  return items.filter(({ created_at }) => created_at < at);
}

/** Merges the reviews of all accounts, newest first, and returns where each account continues. */
function merge(
  reviewPages: readonly ReviewPage[],
  limit: number,
  positions: ReadonlyMap<string, ListPosition> | undefined,
) {
  const heads = reviewPages.map((page) => ({ ...page, taken: 0 }));
  const merged: { account: AccountRow; review: PlatformReview }[] = [];
  while (merged.length < limit) {
    // If an account's page is used up, its next page may hold the next review, so the result ends here.
    if (heads.some(({ items, taken, next }) => taken === items.length && next !== undefined)) break;
    const open = heads.filter(({ items, taken }) => taken < items.length);
    if (open.length === 0) break;
    const newest = open.reduce((a, b) => (b.items[b.taken]!.created_at > a.items[a.taken]!.created_at ? b : a));
    merged.push({ account: newest.account, review: newest.items[newest.taken]! });
    newest.taken += 1;
  }
  const left = heads.flatMap(({ account, page, items, next, taken }): ListPosition[] => {
    const last = items[taken - 1];
    const before = positions?.get(account.id) ?? fresh(account.id);
    if (taken < items.length) {
      if (last === undefined) return [before];
      return [{ account: account.id, page: page ?? null, last: last.platform_id, at: last.created_at }];
    }
    // New items shift numbered pages, so the last review may appear again on the next one.
    return next === undefined ? [] : [{ ...before, page: next, last: last?.platform_id ?? before.last, at: null }];
  });
  return { merged, left };
}
