/** A table of API methods: what each one acts on, the permission it needs and what it does. */
import type { Doc, Docs, Kinds } from '../../kit/docs.ts';
import { drawList, live, seen, type Call, type GraphWorld, type Method, type Methods } from '../world.ts';
import { badParam } from './errors.ts';
import type { NodeType } from './render.ts';

/** Checks whether a caller may read or write; `thing` is undefined if the call is about the account itself. */
export type Access<R, W = R> = Readonly<{
  read(call: Call, account: string, right: R, thing: string | undefined): unknown;
  write(call: Call, account: string, right: W, thing: string | undefined): unknown;
}>;

type Thing = Doc & Readonly<{ page_id: string; seen_from?: number; deleted_at?: number }>;
type ThingName<D> = { [K in keyof D]: D[K] extends Thing ? K : never }[keyof D] & string;

type World<D extends Kinds<D>> = Pick<GraphWorld, 'clock' | 'store'> & Readonly<{ nodes: Docs<D> }>;

/** Keeps the items between the call's `since` and `until`. */
export function within<T extends Readonly<{ at: number }>>({ params }: Call, rows: readonly T[]): readonly T[] {
  const [since = 0, until = Infinity] = [params.time('since'), params.time('until')];
  return rows.filter(({ at }) => at >= since && at <= until);
}

export function makeMethods<D extends Kinds<D>, R, W = R>({ nodes, clock, store }: World<D>, access: Access<R, W>) {
  type Name = ThingName<D>;
  type Of<K extends Name> = D[K] & Thing;

  function readable<K extends Name>(call: Call, kind: K, id: string, right: R): Of<K> {
    const found = live(nodes.get(kind, id) as Of<K> | undefined, id);
    seen({ clock }, { id, seen_from: found.seen_from ?? 0 });
    access.read(call, found.page_id, right, id);
    return found;
  }
  function writable<K extends Name>(call: Call, kind: K, id: string, right: W): Of<K> {
    const found = live(nodes.get(kind, id) as Of<K> | undefined, id, call.verb.toLowerCase());
    access.write(call, found.page_id, right, id);
    return found;
  }

  type OfThing<K extends Name> = (call: Call, one: Of<K>) => unknown;
  type OfAccount = (call: Call, account: string) => unknown;

  return Object.freeze({
    reads: <K extends Name>(kind: K, right: R, params: readonly string[], run: OfThing<K>): Method => ({
      params,
      run: (call, id) => run(call, readable(call, kind, id, right)),
    }),
    writes: <K extends Name>(kind: K, right: W, params: readonly string[], run: OfThing<K>): Method => ({
      params,
      run: (call, id) => run(call, writable(call, kind, id, right)),
    }),
    /** A change that runs in a transaction; unless it returns something, the response is `success`. */
    changes: <K extends Name>(kind: K, right: W, params: readonly string[], run: OfThing<K>): Method => ({
      params,
      run(call, id) {
        const one = writable(call, kind, id, right);
        return store.write(() => run(call, one)) ?? { success: true };
      },
    }),
    /** A method that turns a flag of an object on or off. */
    switches: <K extends Name>(
      kind: K,
      right: W,
      param: string,
      run: (call: Call, one: Of<K>, isOn: boolean) => void,
    ): Method => ({
      params: [param],
      run(call, id) {
        const one = writable(call, kind, id, right);
        const isOn = call.params.flag(param);
        if (isOn === undefined) throw badParam(`The parameter ${param} is required`);
        store.write(() => run(call, one, isOn));
        return { success: true };
      },
    }),
    readsOf: (right: R, params: readonly string[], run: OfAccount): Method => ({
      params,
      run(call, id) {
        access.read(call, id, right, undefined);
        return run(call, id);
      },
    }),
    writesOf: (right: W, params: readonly string[], run: OfAccount): Method => ({
      params,
      run(call, id) {
        access.write(call, id, right, undefined);
        return run(call, id);
      },
    }),
    /** Lists that belong to an account, one per edge, filtered by `since` and `until`. */
    lists: <N extends Readonly<{ at: number }>>(
      account: string,
      right: R,
      look: NodeType<N>,
      edges: Readonly<Record<string, (account: string) => readonly N[]>>,
    ): Methods =>
      Object.fromEntries(
        Object.entries(edges).map(([edge, rows]) => [
          `GET ${account}/${edge}`,
          {
            params: [],
            run(call: Call, id: string) {
              access.read(call, id, right, undefined);
              return drawList(call, look, `${id}/${edge}`, within(call, rows(id)));
            },
          },
        ]),
      ),
  });
}
