type ListPage = Readonly<{ pagination: Readonly<{ has_more: boolean; next_cursor: string }> }>;

/** The cursor of the next page of a list; undefined after the last one. */
export const cursorAfter = ({ pagination: { has_more, next_cursor } }: ListPage): string | undefined =>
  has_more ? next_cursor : undefined;
