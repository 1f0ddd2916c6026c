type ListPage = Readonly<{ pagination: Readonly<{ has_more: boolean; next_cursor: string }> }>;

export const cursorAfter = ({ pagination: { has_more, next_cursor } }: ListPage): string | undefined =>
  has_more ? next_cursor : undefined;
