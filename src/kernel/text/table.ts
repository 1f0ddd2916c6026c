/** A table that can be searched for untrusted words; an object would also find `constructor`. */
export const tableOf = <T>(entries: Readonly<Record<string, T>>): ReadonlyMap<string, T> =>
  new Map(Object.entries(entries));
