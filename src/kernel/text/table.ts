/** A table to look words of strangers up in: an object would also have an answer to `constructor`. */
export const tableOf = <T>(entries: Readonly<Record<string, T>>): ReadonlyMap<string, T> =>
  new Map(Object.entries(entries));
