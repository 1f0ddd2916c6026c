import type { AccountRow } from '#db/access/accounts.ts';
import {
  countInsights,
  listExportPosts,
  patchExport,
  patchExportPost,
  type ExportPostRow,
  type ExportRow,
} from '#db/exports/exports.ts';
import type { Insight, Network } from '#db/schema/database.ts';
import { ApiError } from '#kernel/errors.ts';
import { PLANS } from '#kernel/plans.ts';
import type { OpenedMedia } from '#platforms/media.ts';
import type { ExportDeps } from '../deps.ts';
import { StepTaken, warned } from '../export-reader.ts';
import { ProviderError } from './provider.ts';

/** Posts per step, most of which have nothing to analyse. */
const PER_STEP = 20;
/** The limit of providers; longer videos get no transcript. */
const LARGEST_VIDEO = 25 * 1024 * 1024;
const LARGEST_PICTURE = 8 * 1024 * 1024;
/** With the provider's deadline, less than the job's lease: another worker would pay for the analysis again. */
const FETCH_MS = 45_000;
/** After this many consecutive failures, a post is left without an analysis. */
const MOST_FAILURES = 3;

/** What the analysis of a post found; `isAll` once nothing is left to analyse. */
type Found = Readonly<{ insight: Insight; warnings: readonly string[]; isAll: boolean }>;

const mediaOf = (post: ExportPostRow, kind: 'image' | 'video') => post.media.find(({ type }) => type === kind)?.url;

/** Transcribes the videos of an export and describes its pictures. */
export function makeInsights({ store, log, provider, openPublished }: ExportDeps) {
  /** Analyses a file; an unavailable or too large one is a warning. */
  async function lookAt<T>(
    network: Network,
    url: string,
    maxBytes: number,
    what: string,
    look: (file: OpenedMedia) => Promise<T>,
  ): Promise<T | string> {
    const over = Promise.withResolvers<void>();
    try {
      return await look(await openPublished({ url, network, maxBytes, deadlineMs: FETCH_MS, until: over.promise }));
    } catch (error) {
      if (error instanceof ProviderError && error.passing) throw error;
      if (!(error instanceof ProviderError) && !(error instanceof ApiError)) throw error;
      log.info({ error }, 'media of an export could not be analysed');
      return error instanceof ProviderError
        ? `Some posts have no ${what}: ${error.message}`
        : `Some posts have no ${what}: their files are too large or cannot be fetched.`;
    } finally {
      over.resolve();
    }
  }

  /** Whether the plan's transcripts are used up. */
  async function isSpent({ id, plan }: ExportRow): Promise<boolean> {
    const { transcripts: most } = PLANS[plan].exports;
    return most >= 0 && (await countInsights(store.db, id)) >= most;
  }

  async function findOut(row: ExportRow, network: Network, post: ExportPostRow): Promise<Found> {
    const warnings: string[] = [];
    let insight: Insight = post.insight ?? {};
    const video = row.transcripts && provider.transcribe ? mediaOf(post, 'video') : undefined;
    const picture = row.vision && provider.describe ? mediaOf(post, 'image') : undefined;
    if (video !== undefined && insight.transcript === undefined) {
      if (await isSpent(row))
        warnings.push(`The plan includes ${PLANS[row.plan].exports.transcripts} transcripts per export.`);
      else {
        const text = await lookAt(network, video, LARGEST_VIDEO, 'transcript', provider.transcribe!);
        if (typeof text === 'string') warnings.push(text);
        else insight = text;
        // Saved before the next request, because it has been paid for.
        if (typeof text !== 'string' && picture !== undefined) return { insight, warnings, isAll: false };
      }
    }
    if (picture !== undefined) {
      const seen = await lookAt(network, picture, LARGEST_PICTURE, 'description', provider.describe!);
      if (typeof seen === 'string') warnings.push(seen);
      else insight = { ...insight, ...seen };
    }
    return { insight, warnings, isAll: true };
  }

  /** Like `findOut`, but after repeated failures of the provider the post is left without an analysis. */
  async function orWithout(row: ExportRow, network: Network, post: ExportPostRow): Promise<Found> {
    try {
      return await findOut(row, network, post);
    } catch (error) {
      if (!(error instanceof ProviderError) || row.failures + 1 < MOST_FAILURES) throw error;
      return { insight: post.insight ?? {}, warnings: [`Some posts were left out: ${error.message}`], isAll: true };
    }
  }

  /** Continues from a position: skips some posts without media to analyse, or stores one result for one post. */
  return async function goOn(row: ExportRow, { network }: AccountRow, from: number): Promise<void> {
    const posts = await listExportPosts(store.db, row.id, from, PER_STEP);
    const isPlain = (post: ExportPostRow) =>
      !(row.transcripts && mediaOf(post, 'video')) && !(row.vision && mediaOf(post, 'image'));
    const first = posts.findIndex((post) => !isPlain(post));
    const post = posts[first];
    const found = post && (await orWithout(row, network, post));
    const upTo = found?.isAll ? first + 1 : first;
    const seen = found === undefined ? posts.length : upTo;
    const last = posts.at(-1);
    const next = posts[seen]?.position ?? (last && last.position + 1);

    await store.write(async (tx) => {
      if (post && found) await patchExportPost(tx.db, post, { insight: found.insight });
      const kept = await patchExport(tx.db, row, {
        reading: next === undefined ? null : { insight: next },
        processed: row.processed + seen,
        failures: 0,
        warnings: warned(row, ...(found?.warnings ?? [])),
      });
      if (!kept) throw new StepTaken();
    });
  };
}
