import {
  addGains,
  COUNTS,
  recordedCounts,
  storeMetrics,
  type Counts,
  type Measurement,
} from '#db/posts/daily-metrics.ts';
import type { Tx } from '#db/store/tx.ts';
import { localDay } from '#kernel/text/local-time.ts';
import type { PostMetrics } from '#platforms/posts.ts';

/** Some platforms count impressions instead of views. */
function countsOf({ likes, comments, shares, saves, extra = {} }: PostMetrics): Counts {
  return { likes, comments, shares, saves, views: extra['views'] ?? extra['impressions'] ?? 0 };
}

/** Records the gains since the last measurement for today; a first one counts for the day of publication. */
export async function recordGains({ db, dialect }: Tx, measured: readonly Measurement[], now: number): Promise<void> {
  if (measured.length === 0) return;
  const metricsById = new Map(measured.map(({ id, metrics }) => [id, countsOf(metrics)]));
  const { targets, before } = await recordedCounts(db, dialect, [...metricsById.keys()]);
  const rows = targets.flatMap(({ id, timezone, published_at, ...place }) => {
    const known = before.get(id);
    const counts = metricsById.get(id)!;
    const gains = Object.fromEntries(COUNTS.map((name) => [name, counts[name] - (known?.[name] ?? 0)]));
    if (known !== undefined && COUNTS.every((name) => gains[name] === 0)) return [];
    const row = {
      ...place,
      ...(gains as Counts),
      target_id: id,
      day: localDay(timezone, known === undefined ? (published_at ?? now) : now),
      published: known === undefined ? (1 as const) : (0 as const),
    };
    return [row];
  });
  await addGains(db, rows);
}

export async function recordMetrics(tx: Tx, measured: readonly Measurement[], now: number): Promise<void> {
  await storeMetrics(tx.db, tx.dialect, measured, now);
  await recordGains(tx, measured, now);
}
