import type { Row } from '../schema/database.ts';
import { statusIs } from '../store/dialect.ts';
import type { Db } from '../store/tx.ts';

export type QuotaWindow = Readonly<{ bucket: string; start: number; end: number }>;

/** Takes units from a quota in one statement; false if the limit would be exceeded. */
export async function takeQuota(
  db: Db,
  { bucket, start, end }: QuotaWindow,
  { units, limit }: Readonly<{ units: number; limit: number }>,
): Promise<boolean> {
  if (units > limit) return false;
  const taken = await db
    .insertInto('quotas')
    .values({ bucket, window_start: start, used: units, ends_at: end })
    .onConflict((conflict) =>
      conflict
        .columns(['bucket', 'window_start'])
        .doUpdateSet((eb) => ({ used: eb('quotas.used', '+', units) }))
        .where('quotas.used', '<=', limit - units),
    )
    .returning('used')
    .executeTakeFirst();
  return taken !== undefined;
}

/** How much of each window is used, in the same order. */
export async function readQuotas(db: Db, windows: readonly QuotaWindow[]): Promise<readonly number[]> {
  if (windows.length === 0) return [];
  const rows = await db
    .selectFrom('quotas')
    .select(['bucket', 'window_start', 'used'])
    .where(
      'bucket',
      'in',
      windows.map(({ bucket }) => bucket),
    )
    .execute();
  const isOf =
    ({ bucket, start }: QuotaWindow) =>
    (row: (typeof rows)[number]) =>
      row.bucket === bucket && row.window_start === start;
  return windows.map((window) => rows.find(isOf(window))?.used ?? 0);
}

/** How many active accounts use the same app, this one included. */
export async function countSharing(
  db: Db,
  { platform, network, app_id }: Pick<Row<'accounts'>, 'platform' | 'network' | 'app_id'>,
): Promise<number> {
  const { n } = await db
    .selectFrom('accounts')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('platform', '=', platform)
    .where('network', '=', network)
    .where(statusIs('accounts', 'active'))
    .$if(app_id === null, (query) => query.where('app_id', 'is', null))
    .$if(app_id !== null, (query) => query.where('app_id', '=', app_id))
    .executeTakeFirstOrThrow();
  return Math.max(1, n);
}

export async function sweepQuotas(db: Db, now: number): Promise<number> {
  const { numDeletedRows } = await db.deleteFrom('quotas').where('ends_at', '<=', now).executeTakeFirst();
  return Number(numDeletedRows);
}
