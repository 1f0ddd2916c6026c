/** The actions that people can take on a simulator, in one table for the console's forms and the control API. */
import { tableOf } from '#kernel/text/table.ts';
import { PageError } from '../forms.ts';
import type { Store } from '../store.ts';
import type { Action, ActionField } from '../twin.ts';
import { TwinError } from './api/errors.ts';
import { isLive } from './docs.ts';

export type Choice = Readonly<{ value: string; label: string }>;

/** An action's field. A `kind` that is not built in names one of the simulator's lists to choose from. */
export type Field = Readonly<{
  label: string;
  kind: 'text' | 'long' | 'flag' | 'number' | 'choice' | (string & {});
  optional?: boolean;
  choices?: readonly string[];
  /** Choices that do not come from one of the simulator's lists. */
  offers?(): readonly Choice[];
}>;

/** A field whose text is turned into a value, such as a person, before the action runs. */
export type FieldReader<T> = Field & Readonly<{ read(words: string | undefined): T; offers(): readonly Choice[] }>;

export type Values = Readonly<Record<string, string | undefined>>;

/** Something the console or a test does as one of the simulator's people. */
export type Act = Readonly<{
  group: string;
  title: string;
  fields: Readonly<Record<string, Field>>;
  /** Hidden in the console, which has a better way to do it; programs can call it. */
  isHidden?: boolean;
  run(values: Values): unknown;
}>;
export type Acts = Readonly<Record<string, Act>>;

export const text = (label: string) => ({ label, kind: 'text' }) as const;
export const long = (label: string) => ({ label, kind: 'long' }) as const;
export const number = (label: string) => ({ label, kind: 'number' }) as const;
export const flag = (label: string) => ({ label, kind: 'flag' }) as const;
export const maybe = (label: string) => ({ label, kind: 'text', optional: true }) as const;
export const optional = <F extends Field>(field: F) => ({ ...field, optional: true }) as const;
export const oneOf = (label: string, choices: readonly string[]) => ({ label, kind: 'choice', choices }) as const;

/** A field that has already been checked to be present. */
export const must = (values: Values, name: string): string => values[name] ?? '';

export const isOn = (value: string | undefined): boolean => value === 'true' || value === 'on' || value === '1';

export const wordsIn = (value: string | undefined): readonly string[] | undefined =>
  value
    ?.split(',')
    .map((one) => one.trim())
    .filter(Boolean);

/** Returns the thing if it exists and is not deleted; otherwise throws a 404 page. */
export function there<T extends object>(found: T | undefined, what: string): T {
  if (!isLive(found)) throw new PageError(404, `There is no such ${what}.`);
  return found;
}

const LONGEST = 100_000;
const OFFERED = 40;
const LABEL_LENGTH = 60;

export const short = (words = ''): string => (words.length > LABEL_LENGTH ? `${words.slice(0, LABEL_LENGTH)}…` : words);

/** The newest items that are not deleted, limited to what a list of choices offers. */
export const newest = <T extends { at: number; deleted_at?: number }>(all: readonly T[]): readonly T[] =>
  all
    .filter(isLive)
    .toSorted((a, b) => b.at - a.at)
    .slice(0, OFFERED);

export const offered = <T extends { id: string; at: number; deleted_at?: number }>(
  all: readonly T[],
  labelOf: (one: T) => string,
): readonly Choice[] => newest(all).map((one) => ({ value: one.id, label: labelOf(one) }));

/** A field to choose a thing; `named` returns the choices to offer. */
export const pick = <T extends object>(
  label: string,
  what: string,
  find: (words: string) => T | undefined,
  named: () => readonly Choice[],
): FieldReader<T> => ({
  label,
  kind: what,
  offers: named,
  read: (words = '') => there(find(words), what),
});

/** A field to choose a document; error messages name it by its label in lower case. */
export const pickKept = <T extends { id: string; at: number; deleted_at?: number }>(
  label: string,
  find: (id: string) => T | undefined,
  rows: () => readonly T[],
  nameOf: (one: T) => string,
): FieldReader<T> => pick(label, label.toLowerCase(), find, () => offered(rows(), nameOf));

export const maybeOne = <T>(blank: FieldReader<T>): FieldReader<T | undefined> & Readonly<{ optional: true }> => ({
  ...blank,
  optional: true,
  read: (words) => (words === undefined ? undefined : blank.read(words)),
});

export const byName = (all: readonly Readonly<{ id: string; name: string }>[]): readonly Choice[] =>
  all.map(({ id, name }) => ({ value: id, label: name }));

export const byHandle = (all: readonly Readonly<{ handle: string; name: string }>[]): readonly Choice[] =>
  all.map(({ handle, name }) => ({ value: handle, label: name }));

type Filled1<F> = F extends { read(words: string | undefined): infer T }
  ? Awaited<T>
  : F extends { kind: 'flag' }
    ? boolean
    : F extends { optional: true }
      ? string | undefined
      : string;
export type Filled<F> = { readonly [K in keyof F]: Filled1<F[K]> };

/** Makes actions whose fields are resolved first and which then run in one transaction. */
export const actsIn =
  ({ write }: Pick<Store, 'write'>) =>
  <F extends Act['fields']>(group: string, title: string, fields: F, run: (filled: Filled<F>) => unknown): Act => ({
    group,
    title,
    fields,
    async run(values) {
      const filled: Record<string, unknown> = {};
      for (const [name, field] of Object.entries(fields)) {
        const words = values[name];
        if ('read' in field) filled[name] = await (field as FieldReader<unknown>).read(words);
        else filled[name] = field.kind === 'flag' ? isOn(words) : words;
      }
      return write(() => run(filled as Filled<F>));
    },
  });

function readField(name: string, field: Field, input: Readonly<Record<string, unknown>>): string | undefined {
  const given = Object.hasOwn(input, name) ? input[name] : undefined;
  const written = Array.isArray(given) ? given.join(',') : (JSON.stringify(given) ?? '');
  const value = typeof given === 'string' ? given : written;
  if (typeof given === 'object' && given !== null && !Array.isArray(given))
    throw new PageError(400, `${field.label} must be text.`);
  if (value === '' && field.optional !== true) throw new PageError(400, `${field.label} is missing.`);
  if (value.length > LONGEST) throw new PageError(400, `${field.label} is too long.`);
  if (value !== '' && field.kind === 'number' && !/^\d{1,12}$/.test(value))
    throw new PageError(400, `${field.label} must be a number.`);
  if (value !== '' && field.choices?.includes(value) === false)
    throw new PageError(400, `${field.label} must be one of ${field.choices.join(', ')}.`);
  return value === '' ? undefined : value;
}

async function run(act: Act, input: Readonly<Record<string, unknown>>): Promise<unknown> {
  const unknown = Object.keys(input).filter((name) => !Object.hasOwn(act.fields, name));
  if (unknown.length > 0) throw new PageError(400, `There is no field ${unknown.join(', ').slice(0, 200)}.`);
  const values = Object.fromEntries(
    Object.entries(act.fields).map(([name, field]) => [name, readField(name, field, input)]),
  );
  try {
    return await act.run(values);
  } catch (error) {
    // The console plays people by the platform's rules too, so it shows a refusal as an error page.
    if (error instanceof TwinError) throw new PageError(error.status === 404 ? 404 : 400, error.viewOf());
    throw error;
  }
}

/** Actions, the titles of their groups, and the lists their fields choose from. */
export type ActTable = Readonly<{
  acts: Acts;
  groups: Readonly<Record<string, string>>;
  lists?: Readonly<Record<string, () => readonly Choice[]>>;
}>;

const INPUTS: ReadonlyMap<string, ActionField['input']> = tableOf({ long: 'lines', flag: 'flag', number: 'number' });

/** Makes the action forms for the console, and `act`, which runs an action by name. */
export function makeActs({ acts, groups, lists = {} }: ActTable) {
  function blankOf(name: string, { label, kind, optional: isOptional, choices, offers }: Field): ActionField {
    const list =
      choices === undefined ? (offers ?? lists[kind]) : () => choices.map((one) => ({ value: one, label: one }));
    const input = INPUTS.get(kind) ?? 'text';
    return { name, label, input, ...(isOptional === true && { optional: true }), ...(list && { choices: list }) };
  }

  const order = Object.keys(groups);
  const actions: readonly Action[] = Object.entries(acts)
    .filter(([, { isHidden }]) => isHidden !== true)
    .toSorted(([, a], [, b]) => order.indexOf(a.group) - order.indexOf(b.group))
    .map(([name, { title, group, fields }]) => ({
      name,
      label: title,
      group: groups[group] ?? group,
      fields: Object.entries(fields).map(([field, shape]) => blankOf(field, shape)),
    }));
  return Object.freeze({
    actions,
    act(name: string, input: Readonly<Record<string, unknown>>): Promise<unknown> | undefined {
      const act = Object.hasOwn(acts, name) ? acts[name] : undefined;
      return act === undefined ? undefined : run(act, input);
    },
  });
}
