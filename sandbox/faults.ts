import type { Store } from './store.ts';

export const FAULTS = Object.freeze({
  throttled: 'refused as too many requests, before anything happens',
  expired: 'the access token is reported as expired',
  revoked: 'the grant is taken back for good, at once',
  slow: 'the effect takes place, the answer comes late',
  late: 'the effect itself takes place late',
  lost: 'the effect takes place, the answer is lost',
  error_after: 'the effect takes place, the answer is a 500',
});
export type FaultKind = keyof typeof FAULTS;

export const isFaultKind = (kind: unknown): kind is FaultKind =>
  typeof kind === 'string' && Object.hasOwn(FAULTS, kind);

export type Fault = Readonly<{
  network: string;
  person: string;
  kind: FaultKind;
  /** Applies to calls of this method; if undefined, to all calls. */
  method?: string | undefined;
  times: number;
  delay_ms: number;
}>;

export type Faults = Readonly<{
  add(fault: Fault): void;
  /** Takes the first matching fault and counts it down. */
  take(call: { network: string; person: string | undefined; method: string; kind: FaultKind }): Fault | undefined;
  list(): readonly Fault[];
  /** Removes all faults, or those of a network. */
  clear(network?: string): void;
}>;

type Row = {
  id: number;
  network: string;
  person: string;
  kind: FaultKind;
  method: string;
  times: number;
  delay_ms: number;
};

/** Stores faults, so that they survive a crash. */
export function openFaults({ db, write }: Store): Faults {
  db.exec(`create table if not exists fault (
    id integer primary key, network text not null, person text not null, kind text not null,
    method text not null, times integer not null, delay_ms integer not null
  ) strict`);
  const insert = db.prepare(
    'insert into fault (network, person, kind, method, times, delay_ms) values (?, ?, ?, ?, ?, ?)',
  );
  const first = db.prepare(
    `select * from fault where network = ? and person = ? and kind = ? and method in ('', ?) order by id limit 1`,
  );
  const spend = db.prepare('update fault set times = times - 1 where id = ?');
  const drop = db.prepare('delete from fault where times <= 0');
  const remove = db.prepare('delete from fault where network = coalesce(?, network)');
  const all = db.prepare('select * from fault order by id');
  // Every call checks several times, but there are rarely any faults.
  let areSome = all.get() !== undefined;
  const read = ({ id: _id, method, ...row }: Row): Fault => Object.freeze({ ...row, method: method || undefined });

  return Object.freeze({
    add: ({ network, person, kind, method, times, delay_ms }: Fault) => {
      insert.run(network, person, kind, method ?? '', times, delay_ms);
      areSome = true;
    },
    take({ network, person, method, kind }: Parameters<Faults['take']>[0]) {
      if (person === undefined || !areSome) return undefined;
      const row = first.get(network, person, kind, method) as Row | undefined;
      if (row === undefined) return undefined;
      write(() => {
        spend.run(row.id);
        drop.run();
        areSome = all.get() !== undefined;
      });
      return read(row);
    },
    list: () => (all.all() as Row[]).map(read),
    clear(network?: string) {
      remove.run(network ?? null);
      areSome = all.get() !== undefined;
    },
  });
}
