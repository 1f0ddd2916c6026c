import type { AccountRow } from '../../../db/accounts.ts';
import { listPages } from '../../../db/pages.ts';
import { insertPost } from '../../../db/posts.ts';
import { NEVER } from '../../../db/schema.ts';
import {
  insertTargets,
  knownPlatformPosts,
  publishedTargets,
  renameTarget,
  targetsInDoubt,
} from '../../../db/targets.ts';
import type { Tx } from '../../../db/tx.ts';
import { sandboxMark } from '../../call/accounts.ts';
import type { AdoptPosts, MediaRef } from '../../call/ports.ts';
import { newId } from '../../kernel/ids.ts';
import type { PlatformSlug } from '../../kernel/platforms.ts';
import type { ListedPost, Platform } from '../../platforms/platform.ts';
import { columnsOf } from './content.ts';

/** How far our clock and a platform's may be apart. */
const SKEW_MS = 60_000;
/** A post whose outcome is unknown came to be this soon after it was last sent, if it did. */
const DOUBT_MS = 3_600_000;
/** A platform lists a post of ours under its final id no later than this. */
const RENAMED_MS = 30 * 86_400_000;

const KINDS: ReadonlySet<string> = new Set(['image', 'video', 'audio', 'file']);

type Deps = Readonly<{ platforms: ReadonlyMap<PlatformSlug, Platform> }>;

/**
 * Makes posts of what a platform lists and no target of the account knows; answers how many there were. What may yet
 * turn out to be one of ours that is under way is left for the next time.
 */
export function makeAdopting({ platforms }: Deps): AdoptPosts {
  return async function adoptPosts(tx, account, listed, now) {
    // In this order: what ends between the two is found by one of them at least.
    const doubts = await targetsInDoubt(tx.db, account.id);
    const known = await knownPlatformPosts(
      tx.db,
      account,
      listed.map(({ platform_post_id }) => platform_post_id),
    );
    const unknown = listed.filter(({ platform_post_id }) => !known.has(platform_post_id));
    const isSame = platforms.get(account.platform)?.posts?.isSame;
    const renamed = isSame ? await rename(tx, account, unknown, { isSame, now }) : new Set<ListedPost>();
    const foreign = unknown.filter(
      (post) =>
        !renamed.has(post) &&
        !doubts.some(({ from, until }) => post.created_at >= from - SKEW_MS && post.created_at <= until + DOUBT_MS),
    );
    const fresh = new Map(foreign.map((post) => [post.platform_post_id, post]));
    const pages = [...fresh.values()].some(({ page_id }) => page_id) ? await listPages(tx.db, account.id) : [];
    for (const post of fresh.values()) {
      await adopt(tx, account, post, pages.find((page) => page.platform_page_id === post.page_id)?.id, now);
    }
    return fresh.size;
  };
}

type IsSame = NonNullable<NonNullable<Platform['posts']>['isSame']>;

/** What the platform lists under another id now goes by that one from now on. Answers which of the posts those are. */
async function rename(
  tx: Tx,
  account: AccountRow,
  posts: readonly ListedPost[],
  { isSame, now }: Readonly<{ isSame: IsSame; now: number }>,
): Promise<ReadonlySet<ListedPost>> {
  const renamed = new Set<ListedPost>();
  if (posts.length === 0) return renamed;
  for (const target of await publishedTargets(tx.db, account.id, now - RENAMED_MS)) {
    const post = posts.find((one) => !renamed.has(one) && isSame(target.platform_post_id!, one));
    if (!post) continue;
    const { platform_post_id, permalink = target.permalink } = post;
    await renameTarget(tx.db, target, { platform_post_id, permalink });
    renamed.add(post);
  }
  return renamed;
}

async function adopt(
  tx: Tx,
  account: AccountRow,
  post: ListedPost,
  pageId: string | undefined,
  now: number,
): Promise<void> {
  const id = newId('post', now);
  const media = post.media.map(({ type, url }): MediaRef => ({
    source: url,
    source_type: 'url',
    ...(KINDS.has(type) && { type: type as MediaRef['type'] }),
  }));
  const content = { text: post.text, media, visibility: 'public', platform_data: {}, segments: [] };
  await insertPost(tx.db, {
    id,
    workspace_id: account.workspace_id,
    status: 'published',
    ...columnsOf(content),
    scheduled_at: null,
    published_at: post.created_at,
    sort_at: post.created_at,
    hidden: 0,
    retry_count: 0,
    charged: null,
    version: 0,
    source: 'synced',
    created_at: now,
    updated_at: now,
  });
  await insertTargets(tx.db, [
    {
      id: newId('tgt', now),
      post_id: id,
      workspace_id: account.workspace_id,
      account_id: account.id,
      brand_id: account.brand_id,
      platform: account.platform,
      position: 0,
      page_id: pageId ?? null,
      overrides: '{}',
      scheduled_at: null,
      status: 'published',
      due_at: NEVER,
      round: 0,
      action: 'publish',
      attempts: 0,
      repeats: 0,
      lease_until: 0,
      platform_post_id: post.platform_post_id,
      permalink: post.permalink ?? null,
      published_at: post.created_at,
      unsettled: 0,
      metrics: JSON.stringify(post.metrics),
      metrics_synced_at: now,
      metadata: JSON.stringify(sandboxMark(account)),
      // Of no content that could be sent: the guard against sending twice is about what is sent from here.
      fingerprint: `synced:${post.platform_post_id}`,
      created_at: now,
    },
  ]);
}
