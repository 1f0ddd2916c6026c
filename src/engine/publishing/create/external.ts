import type { AccountRow } from '#db/access/accounts.ts';
import { listPages } from '#db/access/pages.ts';
import { loadAliases, renamePost } from '#db/inbox/aliases.ts';
import { targetsInDoubt } from '#db/posts/doubts.ts';
import { insertPosts, refreshMedia } from '#db/posts/posts.ts';
import { NEVER, type NewRow, type MediaRef } from '#db/schema/database.ts';
import { insertTargets, knownTargets, publishedTargets, refreshTargets, type KnownTarget } from '#db/posts/targets.ts';
import type { Tx } from '#db/store/tx.ts';
import { sandboxMark } from '#call/accounts.ts';
import type { ImportExternalPosts } from '#call/ports.ts';
import { newId } from '#kernel/ids.ts';
import { platformFor, type Platforms } from '#platforms/lookup.ts';
import type { Platform } from '#platforms/platform.ts';
import type { ListedPost } from '#platforms/posts.ts';
import { columnsOf } from '../content/content.ts';
import { recordGains } from '../metrics/record.ts';
import { nextMeasurement } from '../metrics/schedule.ts';

/** Tolerated clock skew. */
const SKEW_MS = 60_000;
/** After its last send, a post with an unknown outcome appears within this time, if at all. */
const DOUBT_MS = 3_600_000;
/** Within this time a platform lists a post under its final id. */
const RENAMED_MS = 30 * 86_400_000;

const KINDS: ReadonlySet<string> = new Set(['image', 'video', 'audio', 'file']);

type ExternalImportDeps = Readonly<{ platforms: Platforms }>;

/** Imports listed posts that no target knows and refreshes known ones; what may be a post of ours has to wait. */
export function makeExternalImport({ platforms }: ExternalImportDeps): ImportExternalPosts {
  return async function importExternalPosts(tx, account, found, now) {
    const listed = await withCurrentIds(tx, account, found);
    // Read before the known targets: a target that is published between the two reads then appears in one of them.
    const doubts = await targetsInDoubt(tx.db, account.id);
    const byId = new Map(listed.map((post) => [post.platform_post_id, post]));
    const targets = await knownTargets(tx.db, account, [...byId.keys()]);
    const known = targets.flatMap((target): Known[] => {
      const post = byId.get(target.platform_post_id!);
      return post ? [{ target, post }] : [];
    });
    const knownIds = new Set(known.map(({ post }) => post.platform_post_id));
    const unknown = listed.filter(({ platform_post_id }) => !knownIds.has(platform_post_id));
    const isSame = platformFor(platforms, account)?.posts?.isSame;
    const renamed = isSame ? await rename(tx, account, unknown, { isSame, now }) : [];
    await refresh(tx, [...known, ...renamed], now);
    const foreign = unknown.filter(
      (post) =>
        !renamed.some((one) => one.post === post) &&
        !doubts.some(({ from, until }) => post.created_at >= from - SKEW_MS && post.created_at <= until + DOUBT_MS),
    );
    const fresh = new Map(foreign.map((post) => [post.platform_post_id, post]));
    const pages = [...fresh.values()].some(({ page_id }) => page_id) ? await listPages(tx.db, account.id) : [];
    const made = [...fresh.values()].map((post) => {
      return rowsOf(account, post, pages.find((page) => page.platform_page_id === post.page_id)?.id, now);
    });
    if (made.length > 0) {
      await insertPosts(
        tx.db,
        made.map(({ row }) => row),
      );
      await insertTargets(
        tx.db,
        made.map(({ target }) => target),
      );
    }
    const counted = [
      ...[...known, ...renamed].map(({ target: { id }, post }) => ({ id, metrics: post.metrics })),
      ...made.map(({ target: { id, platform_post_id } }) => ({ id, metrics: byId.get(platform_post_id!)?.metrics })),
    ];
    await recordGains(
      tx,
      counted.flatMap(({ id, metrics }) => (metrics ? [{ id, metrics }] : [])),
      now,
    );
    return made.length;
  };
}

async function withCurrentIds(
  { db, dialect }: Tx,
  { id }: AccountRow,
  posts: readonly ListedPost[],
): Promise<readonly ListedPost[]> {
  const ids = posts.map(({ platform_post_id }) => platform_post_id);
  const aliases = (await loadAliases(db, dialect, id, ids)).filter(({ thing }) => thing === 'post');
  const current = new Map(aliases.map(({ alias, platform_id }) => [alias, platform_id]));
  return posts.map((post) => ({
    ...post,
    platform_post_id: current.get(post.platform_post_id) ?? post.platform_post_id,
  }));
}

type IsSame = NonNullable<NonNullable<Platform['posts']>['isSame']>;

type Known = Readonly<{ target: KnownTarget; post: ListedPost }>;

/** Renames targets that the platform now lists under another id, and returns them. */
async function rename(
  tx: Tx,
  account: AccountRow,
  posts: readonly ListedPost[],
  { isSame, now }: Readonly<{ isSame: IsSame; now: number }>,
): Promise<readonly Known[]> {
  const renamed = new Map<ListedPost, Known>();
  if (posts.length === 0) return [];
  for (const target of await publishedTargets(tx.db, account.id, now - RENAMED_MS)) {
    const post = posts.find((one) => !renamed.has(one) && isSame(target.platform_post_id!, one));
    if (!post) continue;
    await renamePost(tx.db, account, target.platform_post_id!, post.platform_post_id);
    renamed.set(post, { target, post });
  }
  return [...renamed.values()];
}

async function refresh(tx: Tx, known: readonly Known[], now: number): Promise<void> {
  const media = known
    .filter(({ target, post }) => target.fingerprint === externalFingerprint(post))
    .map(({ target, post }) => ({ id: target.post_id, media: mediaRefs(post) }));
  const view = known.map(({ target: { id, metrics, metrics_synced_at }, post }) => ({
    id,
    ...presentPost(post, now, { metrics, metrics_synced_at }),
  }));
  await refreshMedia(tx.db, tx.dialect, media);
  await refreshTargets(tx.db, tx.dialect, view);
}

type Counted = Pick<KnownTarget, 'metrics' | 'metrics_synced_at'>;

/** A target's fields from a listed post; numbers missing there keep their old value. */
function presentPost(post: ListedPost, now: number, before: Counted = { metrics: null, metrics_synced_at: null }) {
  const counted = before.metrics === null ? {} : before.metrics;
  return {
    permalink: post.permalink ?? null,
    ...(post.metrics ? { metrics: { ...counted, ...post.metrics }, metrics_synced_at: now } : before),
    platform_media: post.media,
  };
}

function mediaRefs({ media }: ListedPost): readonly MediaRef[] {
  return media.map(({ type, url }) => ({
    source: url,
    source_type: 'url',
    type: KINDS.has(type) ? (type as MediaRef['type']) : 'file',
  }));
}

/** Matches no content that could be sent, as the duplicate guard concerns only posts sent from here. */
const externalFingerprint = ({ platform_post_id }: ListedPost) => `synced:${platform_post_id}`;

type Rows = Readonly<{ row: NewRow<'posts'>; target: NewRow<'targets'> }>;

function rowsOf(account: AccountRow, post: ListedPost, pageId: string | undefined, now: number): Rows {
  const id = newId('post', now);
  const { title, text } = post;
  const content = { title, text, media: mediaRefs(post), visibility: 'public', platform_data: {}, segments: [] };
  const row: Rows['row'] = {
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
  };
  const target: Rows['target'] = {
    id: newId('tgt', now),
    post_id: id,
    workspace_id: account.workspace_id,
    account_id: account.id,
    brand_id: account.brand_id,
    platform: account.platform,
    position: 0,
    page_id: pageId ?? null,
    overrides: {},
    scheduled_at: null,
    status: 'published',
    due_at: NEVER,
    round: 0,
    action: 'publish',
    attempts: 0,
    repeats: 0,
    lease_until: 0,
    platform_post_id: post.platform_post_id,
    ...presentPost(post, now),
    measure_at: nextMeasurement(post.created_at, now),
    published_at: post.created_at,
    unsettled: 0,
    metadata: sandboxMark(account),
    fingerprint: externalFingerprint(post),
    created_at: now,
  };
  return { row, target };
}
