type ListPage = Readonly<{ pagination: Readonly<{ has_more: boolean; next_cursor: string }> }>;

export const cursorAfter = ({ pagination: { has_more, next_cursor } }: ListPage): string | undefined =>
  has_more ? next_cursor : undefined;

/** The items of a list that are not known yet. */
export function without<T extends Readonly<{ id: string }>>(all: readonly T[], known: readonly T[]): readonly T[] {
  const ids = new Set(known.map(({ id }) => id));
  return all.filter(({ id }) => !ids.has(id));
}
