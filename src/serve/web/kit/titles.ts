/** The name of a platform, as people know it; undefined where the slug is no platform's. */
export type TitleOf = (slug: string | null) => string | undefined;
