import type { Store } from '../store.ts';

/** A stored document. `page_id` is its account and `parent_id` its parent, for listing. */
export type Doc = Readonly<{ id: string; at: number; page_id?: string; parent_id?: string }>;

export const isLive = <T extends object>(one: T | undefined): one is T =>
  one !== undefined && (one as Readonly<{ deleted_at?: number }>).deleted_at === undefined;

export type Kinds<D> = { [K in keyof D]: Doc };

type Found<D> = { [K in keyof D]: Readonly<{ kind: K; doc: D[K] }> }[keyof D];

export type DocStore<D extends Kinds<D>> = {
  get<K extends keyof D & string>(kind: K, id: string): D[K] | undefined;
  put<K extends keyof D & string>(kind: K, doc: D[K]): D[K];
  /** Changes the given members; undefined removes one. */
  change<K extends keyof D & string>(kind: K, id: string, patch: Partial<D[K]>): D[K];
  /** Sorted oldest first. */
  list<K extends keyof D & string>(kind: K, where?: Readonly<{ page?: string; parent?: string }>): readonly D[K][];
  remove(kind: keyof D & string, id: string): void;
};

export type Docs<D extends Kinds<D>> = Readonly<
  DocStore<D> & {
    /** Like `get`, but returns undefined for a deleted document. */
    getLive<K extends keyof D & string>(kind: K, id: string): D[K] | undefined;
    listLive: DocStore<D>['list'];
    find(id: string): Found<D> | undefined;
    keepOnly(kinds: readonly (keyof D & string)[]): void;
  }
>;

/** Lists for the control API, under the plural: `comments` for the kind `comment`. */
export const listsOf = <D extends Kinds<D>>(docs: Pick<Docs<D>, 'list'>, ...kinds: readonly (keyof D & string)[]) =>
  Object.fromEntries(kinds.map((kind) => [`${kind}s`, () => docs.list(kind)]));

/** Stores a simulator's documents in the table `<prefix>_node`, indexed by account and by parent. */
export function openDocs<D extends Kinds<D>>({ db }: Store, prefix: string): Docs<D> {
  const table = `${prefix}_node`;
  db.exec(`create table if not exists ${table} (
    seq integer primary key, kind text not null, id text not null, page_id text not null, parent_id text not null,
    at integer not null, json text not null, unique (id, kind)
  ) strict;
  create index if not exists ${table}_page on ${table} (kind, page_id, at, seq);
  create index if not exists ${table}_parent on ${table} (kind, parent_id, at, seq)`);
  const one = db.prepare(`select json from ${table} where id = ? and kind = ?`);
  const any = db.prepare(`select kind, json from ${table} where id = ? order by seq limit 1`);
  const write = db.prepare(
    `insert into ${table} (kind, id, page_id, parent_id, at, json) values (?, ?, ?, ?, ?, ?)
     on conflict (id, kind) do update set page_id = excluded.page_id, parent_id = excluded.parent_id,
       at = excluded.at, json = excluded.json`,
  );
  const all = db.prepare(`select json from ${table} where kind = ? order by at, seq`);
  const ofPage = db.prepare(`select json from ${table} where kind = ? and page_id = ? order by at, seq`);
  const ofParent = db.prepare(`select json from ${table} where kind = ? and parent_id = ? order by at, seq`);
  const drop = db.prepare(`delete from ${table} where kind = ? and id = ?`);
  const dropOthers = db.prepare(`delete from ${table} where kind not in (select value from json_each(?))`);
  const read = <T>(row: unknown): T => JSON.parse((row as { json: string }).json) as T;

  type Name = keyof D & string;
  function get<K extends Name>(kind: K, id: string): D[K] | undefined {
    const row = one.get(id, kind);
    return row === undefined ? undefined : read(row);
  }
  function put<K extends Name>(kind: K, doc: D[K]): D[K] {
    const { id, page_id = '', parent_id = '', at } = doc as Doc;
    write.run(kind, id, page_id, parent_id, at, JSON.stringify(doc));
    return doc;
  }

  function list<K extends Name>(kind: K, { page, parent }: { page?: string; parent?: string } = {}) {
    const onPage = () => (page === undefined ? all.all(kind) : ofPage.all(kind, page));
    const rows = parent === undefined ? onPage() : ofParent.all(kind, parent);
    const docs = rows.map((row) => read<D[K]>(row));
    return parent !== undefined && page !== undefined ? docs.filter((doc) => (doc as Doc).page_id === page) : docs;
  }

  return Object.freeze({
    get,
    put,
    list,
    getLive: <K extends Name>(kind: K, id: string) => [get(kind, id)].find(isLive),
    listLive: <K extends Name>(kind: K, where: { page?: string; parent?: string } = {}) =>
      list(kind, where).filter(isLive),
    find(id: string) {
      const row = any.get(id) as { kind: Name; json: string } | undefined;
      return row === undefined ? undefined : { kind: row.kind, doc: read<D[Name]>(row) };
    },
    change<K extends Name>(kind: K, id: string, patch: Partial<D[K]>) {
      const old = get(kind, id);
      if (old === undefined) throw new Error(`There is no ${kind} ${id}.`);
      return put(kind, { ...old, ...patch });
    },
    remove: (kind: Name, id: string) => void drop.run(kind, id),
    keepOnly: (kinds: readonly Name[]) => void dropOthers.run(JSON.stringify(kinds)),
  });
}
