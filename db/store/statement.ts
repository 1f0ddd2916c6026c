import type { Compilable, CompiledQuery, QueryResult } from 'kysely';
import { isPlaceholder, jsonText, placeholder, type Placeholder } from './json.ts';
import type { Db } from './tx.ts';

/** A compiled query; `bind` returns the parameters for one run. */
export type Compiled = Readonly<{ query: CompiledQuery; bind(valueOf: (name: string) => unknown): unknown[] }>;

/** Compiles a query with placeholders; throws if one of them is not used. */
export function compile(build: (slot: (name: string) => Placeholder) => Compilable): Compiled {
  const made = new Set<string>();
  const compiled = build((name) => {
    made.add(name);
    return placeholder(name);
  }).compile();
  const query = Object.freeze({ ...compiled, isRepeated: true });
  const slots = query.parameters.map((value) => (isPlaceholder(value) ? value : undefined));
  for (const name of made) {
    if (!slots.some((slot) => slot?.name === name)) {
      throw new Error(`the placeholder ${name} is not a parameter of ${query.sql}`);
    }
  }
  const bind: Compiled['bind'] = (valueOf) =>
    slots.map((slot, index) => {
      if (slot === undefined) return query.parameters[index];
      const value = valueOf(slot.name);
      return slot.isJson && value !== null ? jsonText(value) : value;
    });
  return { query, bind };
}

export function slotsOf<P extends object>(slot: (name: string) => Placeholder): P {
  return new Proxy({} as P, { get: (_, name) => slot(String(name)) });
}

function once(build: (db: Db, slot: (name: string) => Placeholder) => Compilable): (db: Db) => Compiled {
  const known = new WeakMap<object, Compiled>();
  return (db) => {
    const { adapter } = db.getExecutor();
    const compiled = known.get(adapter) ?? compile((slot) => build(db, slot));
    known.set(adapter, compiled);
    return compiled;
  };
}

/** A statement that is compiled once, because building it costs more than running it. */
export function statement<P extends object, R>(
  build: (db: Db, slot: P) => Compilable<R>,
): (db: Db, parameters: P) => Promise<QueryResult<R>> {
  const compiledFor = once((db, slot) => build(db, slotsOf<P>(slot)));
  return (db, parameters) => {
    const { query, bind } = compiledFor(db);
    return db.executeQuery<R>({
      ...(query as CompiledQuery<R>),
      parameters: bind((name) => parameters[name as keyof P]),
    });
  };
}

/** A compiled write of some columns; `columnOf` finds the column of a placeholder. */
type Form<W> = Readonly<{ columnOf: ReadonlyMap<string, keyof W>; compiledFor(db: Db): Compiled }>;

function formOf<W extends object, P extends object>(
  names: readonly string[],
  build: (db: Db, columns: W, slot: P) => Compilable,
): Form<W> {
  const compiledFor = once((builder, slot) => {
    const written = Object.fromEntries(names.map((name) => [name, slot(COLUMN + name)]));
    return build(builder, written as W, slotsOf<P>(slot));
  });
  return { columnOf: new Map(names.map((name) => [COLUMN + name, name as keyof W])), compiledFor };
}

/** The same for writes with varying columns, compiled once per set of columns. */
export function writing<W extends object, P extends object = object, R = unknown>(
  build: (db: Db, columns: W, slot: P) => Compilable<R>,
): (db: Db, columns: W, parameters?: P) => Promise<QueryResult<R>> {
  const known = new Map<string, Form<W>>();
  return (db, columns, parameters) => {
    const names = Object.keys(columns).filter((name) => columns[name as keyof W] !== undefined);
    const key = names.join();
    const form = known.get(key) ?? formOf(names, build);
    known.set(key, form);
    const { query, bind } = form.compiledFor(db);
    const valueOf = (name: string) => {
      const column = form.columnOf.get(name);
      return column === undefined ? parameters?.[name as keyof P] : columns[column];
    };
    return db.executeQuery<R>({ ...(query as CompiledQuery<R>), parameters: bind(valueOf) });
  };
}

/** Keeps a written column apart from a parameter with the same name. */
const COLUMN = 'column ';

export const firstOf = <R>({ rows }: QueryResult<R>): R | undefined => rows[0];

export const hasChanged = ({ numAffectedRows = 0n }: QueryResult<unknown>): boolean => numAffectedRows > 0n;
