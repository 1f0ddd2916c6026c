import { accountNamed, findAccounts, type AccountRow } from '#db/access/accounts.ts';
import { findBrand } from '#db/access/brands.ts';
import { defaultPage, listPages, pageNamed, type PageRow } from '#db/access/pages.ts';
import { findAliases } from '#db/inbox/aliases.ts';
import { commentedPosts } from '#db/inbox/comments.ts';
import { findInboxPost, findInboxPosts, findPublications, findPublishing } from '#db/inbox/lists.ts';
import { inboxPostId } from '#db/inbox/posts.ts';
import { findPostOf } from '#db/posts/targets.ts';
import type { Store } from '#db/store/store.ts';
import type { PageFinder, Sessions } from '#call/ports.ts';
import { authorityOver, type Authority } from '#kernel/authority.ts';
import type { Clock } from '#kernel/clock.ts';
import { absence, ApiError, fail, noSuch, platformReason } from '#kernel/errors.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import type { AccountCall } from '#platforms/call.ts';
import { canBeId, capabilityOf, hasPages, platformFor, type Platforms } from '#platforms/lookup.ts';
import type { IdShapes, Platform } from '#platforms/platform.ts';
import { orPlatformRefusal } from '#platforms/refusal.ts';
import { readInteractionId, type InteractionType } from '../record/ids.ts';

/** A post that may have comments, identified by the platform's ids. */
export type LocatedPost = Readonly<{ account: AccountRow; post: string; page: PageRow | undefined }>;

/** Rewrites a refusal of the platform as one of our errors. */
type PresentError = (error: ApiError) => ApiError;

export type LookupDeps = Readonly<{
  store: Store;
  sessions: Pick<Sessions, 'use'>;
  pages: Pick<PageFinder, 'resolve'>;
  platforms: Platforms;
  clock: Clock;
}>;

/** When to retry if a post is being published at this moment. */
const SOON_MS = 2000;

function makeCandidates(deps: LookupDeps) {
  const { store, clock } = deps;

  /** The posts that an id may stand for: a post in the inbox, one published from here, or a platform id. */
  async function candidates(authority: Authority, id: string): Promise<readonly PostLocation[]> {
    const { db } = store;
    const row = await findInboxPost(db, authority, id);
    if (row !== undefined) return [locationOf(row.account_id, row.platform_id, row.page_id)];
    const own = await findPublications(db, authority, { id });
    const stored = own.length > 0 ? [] : await findInboxPosts(db, authority, id);
    const published = own.length > 0 ? own : await findPublications(db, authority, { platformId: id });
    const all = [
      ...stored.map((post) => locationOf(post.account_id, post.platform_id, post.page_id)),
      ...published.map((target) => locationOf(target.account_id, target.platform_post_id ?? id, target.page_id)),
    ];
    if (all.length === 0) return aliased(authority, id);
    return all.filter((one, at) => all.findIndex((other) => isSamePost(one, other)) === at);
  }

  /** The posts that the platform used to list under this id. */
  async function aliased(authority: Authority, id: string): Promise<readonly PostLocation[]> {
    const named = await findAliases(store.db, authority, 'post', id);
    const locations = named.map(async ({ account_id, platform_id }) => {
      const all = await candidates(authority, platform_id);
      return all.find(({ accountId }) => accountId === account_id) ?? locationOf(account_id, platform_id, null);
    });
    return Promise.all(locations);
  }

  /** Refuses a post of ours that is not public yet. */
  async function refuseUnpublished(authority: Authority, id: string, accountId: string | undefined): Promise<void> {
    const targets = await findPublishing(store.db, authority, { id, accountId });
    if (targets.length === 0) return;
    const waits = targets.map(({ lease_token, due_at }) => (lease_token === null ? due_at - clock.now() : SOON_MS));
    fail('post.state_invalid', {
      message: 'This post is still being published; try again when it is public.',
      meta: { id, status: 'publishing' },
      retryAfter: Math.max(1000, Math.min(...waits)) / 1000,
    });
  }

  /** If a post was found in several places, narrows them to those where the comment is known. */
  async function locationsWith(locations: readonly PostLocation[], comment: string): Promise<readonly PostLocation[]> {
    const accounts = [...new Set(locations.map(({ accountId }) => accountId))];
    const platformId = readInteractionId('comment', comment)?.platformId ?? comment;
    const posts = await commentedPosts(store.db, accounts, platformId);
    const known = locations.filter((one) => posts.some((other) => isSamePost(one, other)));
    return known.length > 0 ? known : locations;
  }

  async function refuseSeveral(authority: Authority, locations: readonly PostLocation[]): Promise<void> {
    const owners = new Set(locations.map((location) => location.accountId));
    if (owners.size > 1)
      ambiguous('Several accounts have this post', await findAccounts(store.db, authority, [...owners]));
    if (locations.length > 1) severalPages();
  }

  return Object.freeze({ candidates, refuseUnpublished, refuseSeveral, locationsWith });
}

export function makeLookup(deps: LookupDeps) {
  const { store, sessions, pages: finder, platforms } = deps;
  const accountOf = (authority: Authority, id: string) => accountNamed(store.db, authority, id);

  const { candidates, refuseUnpublished, refuseSeveral, locationsWith } = makeCandidates(deps);

  async function pageOfPost(account: AccountRow, known: string | null): Promise<PageRow | undefined> {
    if (!hasPages(platforms, account)) return undefined;
    const pages = await listPages(store.db, account.id);
    return (known === null ? undefined : pageNamed(pages, known)) ?? defaultPage(pages);
  }

  return Object.freeze({
    accountOf,
    pageOfPost,

    findConnector: (account: AccountRow): Platform | undefined => platformFor(platforms, account),

    /** The part of a connector that supports `resource`; throws `resource.not_supported` (501) if there is none. */
    capabilityOf: <T>(account: AccountRow, resource: string, part: (connector: Platform) => T | undefined): T =>
      capabilityOf(platforms, account, resource, part),

    canBeId: (account: AccountRow, thing: keyof IdShapes, id: string) => canBeId(platforms, account, thing, id),

    async isKnownPost(account: AccountRow, platformId: string): Promise<boolean> {
      return (
        (await inboxPostId(store.db, account.id, platformId)) !== undefined ||
        (await findPostOf(store.db, account, platformId)) !== undefined
      );
    },

    async isPost(account: AccountRow, platformId: string): Promise<boolean> {
      const authority = authorityOver(account.workspace_id);
      const targets = await findPublications(store.db, authority, { platformId });
      return targets.some(({ account_id }) => account_id === account.id);
    },

    /** Refuses filters with unknown accounts or brands. */
    async checkFilter(
      authority: Authority,
      filter: Readonly<{ account_id?: string; brand_id?: string }>,
    ): Promise<void> {
      if (filter.account_id !== undefined) await accountOf(authority, filter.account_id);
      const { brand_id: id } = filter;
      if (id !== undefined && (await findBrand(store.db, authority, id)) === undefined) noSuch('brand', id);
    },

    /** Finds a post by its id. If an account is named, the post may be one that only the platform knows. */
    async postOf(
      authority: Authority,
      id: string,
      accountId: string | undefined,
      comment?: string,
    ): Promise<LocatedPost> {
      const account = accountId === undefined ? undefined : await accountOf(authority, accountId);
      const found = await candidates(authority, id);
      const own = account === undefined ? found : found.filter((location) => location.accountId === account.id);
      const locations = own.length > 1 && comment !== undefined ? await locationsWith(own, comment) : own;
      const [chosen] = locations;
      if (chosen === undefined) await refuseUnpublished(authority, id, accountId);
      if (account === undefined && chosen === undefined) return noSuch('post', id);
      if (chosen === undefined && found.length > 0) notOwner('This post is not one of this account.');
      await refuseSeveral(authority, locations);
      const owner = account ?? (await accountOf(authority, chosen!.accountId));
      if (chosen === undefined && !canBeId(platforms, owner, 'post', id)) noSuch('post', id);
      return { account: owner, post: chosen?.post ?? id, page: await pageOfPost(owner, chosen?.page ?? null) };
    },

    /** The page to act as; refuses inactive pages, and accounts that have no page. */
    async pageForCall(account: AccountRow, known: string | null): Promise<PageRow | undefined> {
      if (!hasPages(platforms, account)) return undefined;
      return finder.resolve(account, known ?? undefined);
    },

    async callPlatform<T>(
      account: AccountRow,
      act: (call: AccountCall) => Promise<T>,
      presentError: PresentError = (error) => error,
    ): Promise<T> {
      try {
        return await orPlatformRefusal(account.platform, sessions.use(account, act));
      } catch (error) {
        throw error instanceof ApiError ? presentError(error) : error;
      }
    },
  });
}

export type Lookup = ReturnType<typeof makeLookup>;

type PostLocation = Readonly<{ accountId: string; post: string; page: string | null }>;

const locationOf = (accountId: string, post: string, page: string | null): PostLocation => ({ accountId, post, page });

const isSamePost = (a: Omit<PostLocation, 'page'>, b: Omit<PostLocation, 'page'>) =>
  a.accountId === b.accountId && a.post === b.post;

/** Extracts the platform id if `id` is one of our ids; refuses ids of another platform. */
export function platformIdOf(type: InteractionType, platform: PlatformSlug, id: string): string {
  const own = readInteractionId(type, id);
  if (own !== undefined && own.platform !== platform) noSuch(type === 'dm' ? 'message' : type, id);
  return own?.platformId ?? id;
}

/** Turns a platform's "not found" into our error for the resource. */
export function missing(resource: string, id: string): PresentError {
  return (error) => (platformReason(error.code) === 'not_found' ? absence(resource, id, undefined, error) : error);
}

/** How many accounts an error message lists. */
const MOST_NAMED = 5;

/** Refuses to choose between several accounts, and lists them. */
export function ambiguous(what: string, accounts: readonly AccountRow[]): never {
  const named = accounts.slice(0, MOST_NAMED).map(({ id, platform, username }) => `${id} (${platform} @${username})`);
  const more = accounts.length > MOST_NAMED ? ` and ${accounts.length - MOST_NAMED} more` : '';
  return fail('validation.field_required', {
    message: `${what}: ${named.join(', ')}${more}.`,
    next: 'Send account_id.',
    meta: { field: 'account_id' },
  });
}

function severalPages(): never {
  const message = 'This post is on several pages of the account.';
  const next = 'Send the id that list_inbox_posts shows for one of them.';
  return fail('validation.field_invalid', { message, next, meta: { field: 'post_id' } });
}

export function notOwner(message: string): never {
  return fail('validation.field_invalid', { message: `account_id: ${message}`, meta: { field: 'account_id' } });
}
