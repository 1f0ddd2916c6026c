import type { Store } from '../../store.ts';
import { PageError } from '../../forms.ts';
import { maybe, number, type Act, type Values } from '../acts.ts';

/** An error response ordered in advance, before or after the effect; an empty `method` applies to any call. */
export type Order<T> = T & Readonly<{ method: string; when: 'before' | 'after' }>;

export type Orders<T> = Readonly<{
  add(order: Order<T>, times: number): void;
  take(method: string, when: 'before' | 'after'): Order<T> | undefined;
  reset(): void;
}>;

/** Ordered responses survive a crash, because they are stored. */
export function openOrders<T>({ db, write }: Store, prefix: string): Orders<T> {
  const table = `${prefix}_forced`;
  db.exec(`create table if not exists ${table} (
    id integer primary key, method text not null, at text not null, json text not null, times integer not null
  ) strict`);
  const insert = db.prepare(`insert into ${table} (method, at, json, times) values (?, ?, ?, ?)`);
  const next = db.prepare(`select id, json from ${table} where method in ('', ?) and at = ? order by id limit 1`);
  const spend = db.prepare(`update ${table} set times = times - 1 where id = ?`);
  const drop = db.prepare(`delete from ${table} where times <= 0`);
  return Object.freeze({
    add: (order: Order<T>, times: number) => void insert.run(order.method, order.when, JSON.stringify(order), times),
    take(method: string, when: 'before' | 'after') {
      const row = next.get(method, when) as { id: number; json: string } | undefined;
      if (row === undefined) return undefined;
      write(() => {
        spend.run(row.id);
        drop.run();
      });
      return JSON.parse(row.json) as Order<T>;
    },
    reset: () => void db.exec(`delete from ${table}`),
  });
}

/** The form fields of an ordered error, how to build it from them, and the lowest status allowed. */
export type OrderedAnswer<T> = Readonly<{
  fields: Act['fields'];
  read(values: Values, status: number): T;
  lowest?: number | undefined;
}>;

export const codeAndMessage = (usual: string, words: string) => ({
  fields: { code: maybe('Code of the error'), message: maybe('Message') },
  read: ({ code = usual, message = words }: Values, status: number) => ({ status, code, message }),
});

/** The action that orders an error response; `more` are the network's own fields. */
export function orderAct<T>(
  orders: Orders<T>,
  more: Act['fields'],
  read: (values: Values, status: number) => T,
  lowest = 400,
): Act {
  return {
    group: 'twin',
    title: 'Answer with an error that is ordered',
    fields: {
      method: maybe('Call; empty is any'),
      when: { label: 'When', kind: 'choice', choices: ['before', 'after'] },
      ...more,
      status: { ...number('HTTP status'), optional: true },
      times: { ...number('Times'), optional: true },
    },
    run(values: Values) {
      const { method = '', when, status = '400', times = '1' } = values;
      const httpStatus = Number(status);
      if (httpStatus < lowest || httpStatus > 599)
        throw new PageError(400, `An error has a status from ${lowest} to 599.`);
      orders.add({ ...read(values, httpStatus), method, when: when === 'after' ? 'after' : 'before' }, Number(times));
    },
  };
}
