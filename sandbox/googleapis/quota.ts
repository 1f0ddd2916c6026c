import type { Clock } from '#kernel/clock.ts';
import type { Store } from '../store.ts';

const DAY = new Intl.DateTimeFormat('en-CA', { timeZone: 'America/Los_Angeles', dateStyle: 'short' });

/** Counts a project's daily use since midnight Pacific time. It is stored, so that it survives restarts. */
export function openDailyQuota({ db, write }: Store, prefix: string, clock: Clock) {
  const table = `${prefix}_quota`;
  db.exec(`create table if not exists ${table} (
    bucket text not null, day text not null, used integer not null, primary key (bucket, day)
  ) strict`);
  const find = db.prepare(`select used from ${table} where bucket = ? and day = ?`);
  const save = db.prepare(
    `insert into ${table} (bucket, day, used) values (?, ?, ?)
     on conflict (bucket, day) do update set used = excluded.used`,
  );
  const today = () => DAY.format(clock.now());
  const used = (bucket: string) => (find.get(bucket, today()) as { used: number } | undefined)?.used ?? 0;
  const set = (bucket: string, units: number) => void save.run(bucket, today(), units);

  return Object.freeze({
    used,
    set,
    /** Takes units from a bucket; false, and nothing is taken, if the daily limit would be exceeded. */
    spend: (bucket: string, units: number, limit: number): boolean =>
      write(() => {
        const after = used(bucket) + units;
        if (after > limit) return false;
        set(bucket, after);
        return true;
      }),
    reset: () => void db.exec(`delete from ${table}`),
  });
}
