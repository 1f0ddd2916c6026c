type Fields = Readonly<Record<string, unknown>>;
type Names = readonly string[];

/** The fields of one kind of object; fields whose value is undefined are left out. */
export type Look<T> = Readonly<Record<string, (one: T, viewer: string) => unknown>>;

/** A kind of object: its fields, those shown by default, its lookup by id, and its name in `includes`. */
export type Kind<T> = Readonly<{ look: Look<T>; usual: Names; get?(id: string): T | undefined; list?: string }>;

/** An expansion adds related objects of another kind; `of` names the expansion they are looked up from. */
export type Expansion = Readonly<{ to: string; ids(one: never): Names | string | undefined; of?: string }>;

/** Reads a call's list parameters, and says who is calling. */
type FieldQuery = Readonly<{ words(name: string): Names; viewer: string }>;

/** Fields that the network documents but the simulator leaves out. */
export const nothing = (...names: Names): Look<unknown> =>
  Object.fromEntries(names.map((name) => [name, () => undefined]));

export const some = <T>(list: readonly T[]): readonly T[] | undefined => (list.length === 0 ? undefined : list);

export function present(fields: Fields): Fields | undefined {
  const here = Object.entries(fields).filter(([, value]) => value !== undefined && value !== false);
  return here.length === 0 ? undefined : Object.fromEntries(here);
}

export const makeShow =
  <T>({ look, usual }: Pick<Kind<T>, 'look' | 'usual'>) =>
  (one: T, request: Names = [], viewer = ''): Fields =>
    Object.fromEntries(
      [...new Set([...usual, ...request])].flatMap((name) => {
        const value = look[name]?.(one, viewer);
        return value === undefined ? [] : [[name, value]];
      }),
    );

/** Builds responses that honour `<kind>.fields` and `expansions`; expanded objects go into `includes`. */
export function makeAnswers(
  kinds: Readonly<Record<string, Omit<Kind<never>, 'get'> & Readonly<{ get?(id: string): object | undefined }>>>,
  expansions: Readonly<Record<string, Expansion>>,
  unknown: (parameter: string, value: string, known: Names) => Error,
) {
  function known({ words }: FieldQuery, parameter: string, all: Names): Names {
    const request = words(parameter);
    const strange = request.find((word) => !all.includes(word));
    if (strange !== undefined) throw unknown(parameter, strange, all);
    return request;
  }
  const fieldsOf = (call: FieldQuery, kind: string) => known(call, `${kind}.fields`, Object.keys(kinds[kind]!.look));
  const unique = (ids: Names) => [...new Set(ids)].filter(Boolean);

  return function answer(call: FieldQuery, kind: string, list: readonly object[]) {
    const request = known(call, 'expansions', Object.keys(expansions));
    const show = (of: string, extra: Names = []) => {
      const [viewOf, fields] = [makeShow(kinds[of]!), [...fieldsOf(call, of), ...extra]];
      return (one: unknown) => viewOf(one as never, fields, call.viewer);
    };
    const find = (to: string, id: string): object | undefined => kinds[to]?.get?.(id);
    function idsOf(name: string): Names {
      const { ids, of, to } = expansions[name]!;
      const from = of === undefined ? list : idsOf(of).flatMap((id) => find(expansions[of]?.to ?? to, id) ?? []);
      return unique(from.flatMap((one) => ids(one as never) ?? []));
    }
    const included: Record<string, string[]> = {};
    for (const name of request) (included[expansions[name]!.to] ??= []).push(...idsOf(name));
    const includes = Object.entries(included).flatMap(([to, ids]) => {
      const found = unique(ids).flatMap((id) => find(to, id) ?? []);
      return found.length === 0 ? [] : [[kinds[to]?.list ?? to, found.map(show(to))] as const];
    });
    const lost = request.flatMap((name) =>
      idsOf(name).flatMap((id) => (find(expansions[name]!.to, id) === undefined ? [{ name, id }] : [])),
    );
    const data = list.map(
      show(
        kind,
        request.map((name) => name.split('.')[0] ?? ''),
      ),
    );
    return { data, ...(includes.length > 0 && { includes: Object.fromEntries(includes) }), lost };
  };
}
