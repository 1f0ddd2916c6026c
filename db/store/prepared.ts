import type { Compilable } from 'kysely';

/** Compiles a query built with placeholders; `bind` puts the parameters of one run where they belong. */
export function compile<P extends object>(
  build: (slot: P) => Compilable,
): Readonly<{ text: string; bind: (parameters: P) => unknown[] }> {
  const names = new Map<unknown, keyof P>();
  // Whatever is read from `slot` is an object of its own, found again among the parameters of the compiled query.
  const slot = new Proxy({} as P, {
    get(_, name) {
      const placeholder = Object.freeze({ placeholder: String(name) });
      names.set(placeholder, name as keyof P);
      return placeholder;
    },
  });
  const { sql, parameters } = build(slot).compile();
  const order = parameters.map((value) => ({ name: names.get(value), value }));
  for (const name of names.values()) {
    if (!order.some((place) => place.name === name))
      throw new Error(`the placeholder ${String(name)} is not a parameter of ${sql}`);
  }
  return {
    text: sql,
    bind: (given) => order.map(({ name, value }) => (name === undefined ? value : given[name])),
  };
}
