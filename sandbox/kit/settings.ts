import type { Store } from '../store.ts';
import { isOn, type Act, type Field, type Values } from './acts.ts';

type Value = string | number | boolean;
type Widened<V> = V extends boolean ? boolean : V extends number ? number : string;
export type Defaults = Readonly<Record<string, Value>>;
type SettingsOf<D> = { -readonly [K in keyof D]: Widened<D[K]> };

export type Settings<D> = {
  get<K extends keyof D & string>(name: K): Widened<D[K]>;
  set(values: Partial<SettingsOf<D>>): void;
  all(): SettingsOf<D>;
  reset(): void;
};

/** Settings for behaviour that varies on the real network. They are stored, so they survive a crash. */
export function openSettings<D extends Defaults>({ db, write }: Store, prefix: string, defaults: D): Settings<D> {
  const table = `${prefix}_setting`;
  db.exec(`create table if not exists ${table} (name text primary key, json text not null) strict`);
  const find = db.prepare(`select json from ${table} where name = ?`);
  const save = db.prepare(
    `insert into ${table} (name, json) values (?, ?) on conflict (name) do update set json = excluded.json`,
  );

  function get<K extends keyof D & string>(name: K): Widened<D[K]> {
    const row = find.get(name) as { json: string } | undefined;
    return (row === undefined ? defaults[name] : JSON.parse(row.json)) as Widened<D[K]>;
  }

  return Object.freeze({
    get,
    set: (values: Partial<SettingsOf<D>>) =>
      write(() => {
        for (const [name, value] of Object.entries(values)) save.run(name, JSON.stringify(value));
      }),
    all: () => Object.fromEntries(Object.keys(defaults).map((name) => [name, get(name)])) as SettingsOf<D>,
    reset: () => void db.exec(`delete from ${table}`),
  });
}

function kindOf(value: Value): Pick<Field, 'kind' | 'choices'> {
  if (typeof value === 'boolean') return { kind: 'choice', choices: ['true', 'false'] };
  return { kind: typeof value === 'number' ? 'number' : 'text' };
}

/** Entered to clear a text setting, because an empty field leaves it unchanged. */
const NONE = 'none';
const labelOf = (name: string, value: Value) => `${name.replaceAll('_', ' ')}${value === '' ? ` (or ${NONE})` : ''}`;

/** The action that changes settings, except the `hidden` ones. */
export function settingsAct<D extends Defaults>(
  settings: Settings<D>,
  defaults: D,
  hidden: readonly (keyof D)[] = [],
): Act {
  const read = (name: string, value: string): Value => {
    const normal = defaults[name];
    if (typeof normal === 'number') return Number(value);
    if (typeof normal === 'boolean') return isOn(value);
    return value === NONE ? '' : value;
  };
  return {
    group: 'twin',
    title: 'Behave differently',
    fields: Object.fromEntries(
      Object.entries(defaults)
        .filter(([name]) => !hidden.includes(name))
        .map(([name, value]) => [name, { label: labelOf(name, value), optional: true, ...kindOf(value) }]),
    ),
    run(values: Values) {
      const given = Object.entries(values).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, read(name, value)]],
      );
      settings.set(Object.fromEntries(given) as Partial<SettingsOf<D>>);
      return settings.all();
    },
  };
}
