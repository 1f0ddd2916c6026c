import { accountNamed, holdAccount, noAccount, type AccountRow } from '#db/access/accounts.ts';
import { listPages } from '#db/access/pages.ts';
import { beginSync, ensureInboxAccount, failSync, loadInboxAccount } from '#db/inbox/accounts.ts';
import type { Store } from '#db/store/store.ts';
import type { Progress } from '#call/context.ts';
import type { ImportExternalPosts, Sessions, RecordPosts } from '#call/ports.ts';
import type { Authority } from '#kernel/authority.ts';
import type { Clock } from '#kernel/clock.ts';
import { fail } from '#kernel/errors.ts';
import type { Log } from '#kernel/log.ts';
import type { SkippedPage } from '#platforms/inbound.ts';
import { capabilityOf, type Platforms } from '#platforms/lookup.ts';
import type { Platform } from '#platforms/platform.ts';
import type { ListedPost, ListedPosts } from '#platforms/posts.ts';
import type { PlatformPost } from '#platforms/inbox-types.ts';
import { platformRefusal } from '#platforms/refusal.ts';
import { isRefusal, makeSkipLog, warningsOf } from '#platforms/retry-policy.ts';
import { sanitize, sanitizeEvent } from '#platforms/sanitize.ts';
import { counted } from '#kernel/people/counted.ts';

const COOLDOWN_MS = 5 * 60_000;
const DEPTH = 25;
/** The most posts per request. */
const PER_CALL = 100;
/** How many pages in a row may be empty: on X, pages are filtered after they are made. */
const MOST_EMPTY = 10;

export type SyncDeps = Readonly<{
  store: Store;
  sessions: Pick<Sessions, 'use'>;
  platforms: Platforms;
  clock: Clock;
  log: Log;
  importExternal: ImportExternalPosts;
  recordPosts: RecordPosts;
}>;

/** The warnings name the parts that the platform refused. */
type Synced = Readonly<{ warnings?: readonly string[] }>;

export type Syncing = Readonly<{ began: number }>;

/** Reads the posts of an account, whether published from here or elsewhere. */
export function makeSync({ store, sessions, platforms, clock, log, importExternal, recordPosts }: SyncDeps) {
  const logSkipped = makeSkipLog(log);

  async function begin(account: AccountRow): Promise<number> {
    const now = clock.now();
    const begun = await store.write(async (tx) => {
      const held = await holdAccount(tx.db, tx.dialect, account.id);
      if (!held) noAccount(account.id);
      if (held.status !== 'active') fail('account.reconnection_required', { meta: { id: account.id } });
      await ensureInboxAccount(tx.db, held);
      if (!(await beginSync(tx.db, account.id, now, now - COOLDOWN_MS))) return false;
      await tx.key?.record({ began: now } satisfies Syncing);
      return true;
    });
    if (!begun) {
      const { sync_started_at = now } = (await loadInboxAccount(store.db, account.id)) ?? {};
      fail('account.sync_cooldown', {
        meta: { id: account.id },
        retryAfter: Math.max(1, (sync_started_at + COOLDOWN_MS - now) / 1000),
      });
    }
    return now;
  }

  async function run(account: AccountRow, platform: Platform, progress: Progress): Promise<Synced> {
    const { list, syncDepth: depth = DEPTH } = platform.posts!;
    const pages = platform.pages
      ? (await listPages(store.db, account.id)).filter(({ is_active }) => is_active === 1)
      : [undefined];
    if (pages.length === 0) fail('account.no_active_page', { meta: { id: account.id } });
    let read = 0;
    let unread = 0;
    const skipped = new Map<string, SkippedPage>();
    const take = async ({ posts: listed, skipped: without = [] }: ListedPosts): Promise<void> => {
      const now = clock.now();
      const posts = listed.map((post) => sanitize(post, now)).filter((post) => isStorable(post, now));
      await store.write(async (tx) => {
        if (platform.comments) {
          if (!(await recordPosts(tx, account, posts.map(inboxPost), now))) return;
        } else if (!(await holdAccount(tx.db, tx.dialect, account.id))) return;
        await importExternal(tx, account, posts, now);
      });
      for (const part of without) skipped.set(part.page, part);
      read += listed.length;
      progress(read, depth * pages.length, `${counted(read, 'post')} read`);
    };
    for (const page of pages) {
      try {
        const request = { pageId: page?.platform_page_id, depth };
        for await (const batch of batchesOf(sessions, account, list!, request)) await take(batch);
      } catch (error) {
        if (page === undefined || !isRefusal(error)) throw error;
        unread += 1;
        skipped.set(page.platform_page_id, { page: page.platform_page_id, error });
      }
    }
    const all = [...skipped.values()];
    logSkipped(account, all);
    // A refused page does not block the others; if all are refused, the sync fails.
    if (unread === pages.length) throw all[0]!.error;
    const warnings = warningsOf(
      all,
      pages.filter((page) => page !== undefined),
    );
    return warnings.length > 0 ? { warnings } : {};
  }

  /** Reads an account's newest posts, at most once in five minutes; `begun` continues an interrupted sync. */
  return async function sync(authority: Authority, id: string, progress: Progress, begun?: Syncing): Promise<Synced> {
    const account = await accountNamed(store.db, authority, id);
    const platform = capabilityOf(
      platforms,
      account,
      'sync',
      (connector) => (connector.posts?.list === undefined ? undefined : connector),
      `The posts of ${account.platform} cannot be listed.`,
    );
    const began = begun?.began ?? (await begin(account));
    try {
      return await run(account, platform, progress);
    } catch (error) {
      await store.write((tx) => failSync(tx.db, id, began));
      throw platformRefusal(account.platform, error);
    }
  };
}

async function* batchesOf(
  sessions: SyncDeps['sessions'],
  account: AccountRow,
  list: NonNullable<NonNullable<Platform['posts']>['list']>,
  { pageId, depth }: Readonly<{ pageId: string | undefined; depth: number }>,
): AsyncGenerator<ListedPosts> {
  let cursor: string | undefined;
  let empty = 0;
  for (let left = depth; left > 0 && empty < MOST_EMPTY;) {
    const page = { limit: Math.min(left, PER_CALL), cursor, pageId };
    const answer = await sessions.use(account, (call) => list(call, page));
    const posts = answer.posts.slice(0, left);
    yield { ...answer, posts: posts.map((post) => ({ ...post, page_id: post.page_id ?? pageId })) };
    if (answer.cursor === undefined || answer.cursor === cursor) return;
    cursor = answer.cursor;
    left -= posts.length;
    empty = posts.length === 0 ? empty + 1 : 0;
  }
}

function isStorable(post: ListedPost, now: number): boolean {
  return sanitizeEvent({ kind: 'post', post: inboxPost(post) }, now) !== undefined;
}

function inboxPost(post: ListedPost): PlatformPost {
  return {
    platform_id: post.platform_post_id,
    page_id: post.page_id,
    text: post.text,
    thumbnail: post.media.find(({ type }) => type === 'image')?.url,
    permalink: post.permalink,
    comment_count: post.metrics?.comments ?? 0,
    like_count: post.metrics?.likes ?? 0,
    published_at: post.created_at,
  };
}
