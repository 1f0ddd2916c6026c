import type { AccountRow } from '#db/access/accounts.ts';
import { listPages, pageNamed } from '#db/access/pages.ts';
import { insertExportPosts, patchExport, type ExportRow } from '#db/exports/exports.ts';
import type { NewRow, Reading } from '#db/schema/database.ts';
import { fail } from '#kernel/errors.ts';
import { PLANS } from '#kernel/plans.ts';
import { capabilityOf, hasPages } from '#platforms/lookup.ts';
import type { ListedPost, PostMetrics, Posts } from '#platforms/posts.ts';
import { PlatformError } from '#platforms/errors.ts';
import { conclusive } from '#platforms/refusal.ts';
import { isRefusal, warningsOf } from '#platforms/retry-policy.ts';
import { sanitize } from '#platforms/sanitize.ts';
import type { ExportDeps } from './deps.ts';

type Pages = Extract<Reading, { pages: readonly unknown[] }>;

const PER_STEP = 100;
const LONGEST_ID = 500;
/** How many consecutive pages of a list may contain nothing new. */
const MOST_EMPTY = 20;

const whole = (count: number | undefined): number | null =>
  count !== undefined && Number.isFinite(count) && count >= 0 ? Math.round(count) : null;

function rowOf(
  row: ExportRow,
  post: ListedPost,
  place: Readonly<{ position: number; page: string | null; now: number }>,
): NewRow<'export_posts'> {
  const { video = {} } = post;
  return {
    export_id: row.id,
    platform_id: post.platform_post_id,
    workspace_id: row.workspace_id,
    position: place.position,
    published_at: Math.min(whole(post.created_at) ?? 0, place.now),
    page_id: post.page_id ?? place.page,
    title: post.title ?? null,
    text: post.text,
    permalink: post.permalink ?? null,
    media: post.media,
    duration_ms: whole(video.duration_ms),
    width: whole(video.width),
    height: whole(video.height),
    metrics: post.metrics ?? null,
    insight: null,
  };
}

/** Adds warnings without duplicates. */
export function warned(row: Pick<ExportRow, 'warnings'>, ...more: readonly string[]): readonly string[] {
  return [...new Set([...row.warnings, ...more])];
}

function makePagesLeft({ store, platforms }: ExportDeps) {
  async function begin(account: AccountRow): Promise<Pages> {
    if (!hasPages(platforms, account)) return { pages: [null] };
    const pages = (await listPages(store.db, account.id)).filter(({ is_active }) => is_active === 1);
    if (pages.length === 0) fail('account.no_active_page', { meta: { id: account.id } });
    return { pages: pages.map(({ platform_page_id }) => platform_page_id) };
  }

  const goingOn = (row: ExportRow, account: AccountRow, known: Pages) =>
    row.status === 'pending' ? begin(account) : known;

  /** Continues after a refused page; false if it was the last page and none could be read. */
  async function leaveOut(row: ExportRow, account: AccountRow, known: Pages, error: PlatformError): Promise<boolean> {
    const { pages, cursor, shown } = await goingOn(row, account, known);
    const [page = null, ...rest] = pages;
    if (page === null || (rest.length === 0 && !shown)) return false;
    const named = pageNamed(await listPages(store.db, account.id), page) ?? { platform_page_id: page, name: page };
    const [warning = ''] = warningsOf(
      [{ page, error }],
      [named],
      cursor === undefined ? undefined : 'was read in part',
    );
    const kept = await store.write((tx) =>
      patchExport(tx.db, row, {
        status: 'processing',
        reading: rest.length === 0 ? afterwards(row) : { pages: rest, ...(shown && { shown }) },
        failures: 0,
        warnings: warned(row, warning),
      }),
    );
    if (!kept) throw new StepTaken();
    return true;
  }

  return Object.freeze({ goingOn, leaveOut });
}

/** Reads an account's posts for an export, one list page per step. */
export function makeExportReader(deps: ExportDeps) {
  const { store, clock, sessions, platforms, log } = deps;
  const { goingOn, leaveOut } = makePagesLeft(deps);

  /** Reads the metrics of posts that were listed without any, and notes why some have none. */
  async function measure(
    account: AccountRow,
    read: Posts['metrics'],
    posts: readonly ListedPost[],
    page: string | null,
  ): Promise<Readonly<{ found: ReadonlyMap<string, PostMetrics>; refused: readonly PlatformError[] }>> {
    if (!read || posts.length === 0) return { found: new Map(), refused: [] };
    const measured = posts.map(({ platform_post_id: id, page_id = page ?? undefined }) => ({
      id,
      page_id,
      metadata: {},
    }));
    const refused: PlatformError[] = [];
    const found = new Map<string, PostMetrics>();
    try {
      for (const [id, metrics] of await sessions.use(account, (call) => read(call, measured))) {
        if (metrics instanceof PlatformError) refused.push(metrics);
        else found.set(id, metrics);
      }
    } catch (error) {
      if (!isRefusal(error)) throw error;
      refused.push(error);
    }
    const [error] = refused;
    if (error) log.info({ account_id: account.id, platform: account.platform, error }, 'metrics of an export refused');
    return { found, refused };
  }

  async function readMore(row: ExportRow, account: AccountRow, known: Pages): Promise<void> {
    const { pages, cursor, empty: before = 0 } = await goingOn(row, account, known);
    const [page = null, ...rest] = pages;
    const { list, metrics } = capabilityOf(platforms, account, 'exports', ({ posts }) => posts);
    const { videos: most } = PLANS[row.plan].exports;
    const left = most < 0 ? PER_STEP : Math.min(PER_STEP, most - row.posts);
    const request = { limit: left, cursor, pageId: page ?? undefined };
    const listed = await sessions.use(account, (call) => list!(call, request));
    const isStorable = ({ platform_post_id: id }: ListedPost) => id.length > 0 && id.length <= LONGEST_ID;
    const posts = listed.posts
      .slice(0, left)
      .map((post) => sanitize(post, clock.now()))
      .filter(isStorable);
    const bare = posts.filter((post) => post.metrics === undefined);
    const { found, refused } = await measure(account, metrics, bare, page);
    const complete = posts.map((post) => ({ ...post, metrics: post.metrics ?? found.get(post.platform_post_id) }));
    const extras = complete.flatMap(({ metrics: { extra = {} } = {} }) => Object.keys(extra));

    const now = clock.now();
    await store.write(async (tx) => {
      const rows = complete.map((post, at) => rowOf(row, post, { position: row.version * PER_STEP + at, page, now }));
      const added = await insertExportPosts(tx.db, rows);
      // Some pages in the middle of a list are empty, but a circular list would never end.
      const empty = added > 0 ? 0 : before + 1;
      const goesOn = listed.cursor !== undefined && empty < MOST_EMPTY;
      const isFull = most >= 0 && row.posts + added >= most;
      const next = { shown: true, ...(goesOn ? { pages, cursor: listed.cursor, empty } : { pages: rest }) } as const;
      const isOver = isFull || next.pages.length === 0;
      const kept = await patchExport(tx.db, row, {
        status: 'processing',
        reading: isOver ? afterwards(row) : next,
        posts: row.posts + added,
        failures: 0,
        extra_names: [...new Set([...row.extra_names, ...extras])],
        warnings: warned(
          row,
          ...warningsOf(listed.skipped),
          ...refused.map((error) => `Some posts came without metrics: ${conclusive(error).message}`),
          ...(isFull && (goesOn || rest.length > 0) ? [`The plan includes only the newest ${most} posts.`] : []),
        ),
      });
      // Another worker has already done this step.
      if (!kept) throw new StepTaken();
    });
  }

  return Object.freeze({ readMore, leaveOut });
}

/** What remains to be done once every post has been read. */
const afterwards = ({ transcripts, vision }: ExportRow): Reading | null =>
  transcripts || vision ? { insight: 0 } : null;

/** Another worker has done the same step, or the export has ended. */
export class StepTaken extends Error {
  override name = 'StepTaken';
}
