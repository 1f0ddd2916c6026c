/** A table that is safe to look untrusted words up in: an object would also answer to `constructor`. */
export const tableOf = <T>(entries: Readonly<Record<string, T>>): ReadonlyMap<string, T> =>
  new Map(Object.entries(entries));
