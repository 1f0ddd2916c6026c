/** A platform's display name; undefined for an unknown slug. */
export type TitleOf = (slug: string | null) => string | undefined;
