import type { Blob } from '#sandbox/kit/files.ts';

/** A thing of the network; ids are numbers of 17 digits. */
export type Thing = Readonly<{ id: string; at: number; page_id?: string; parent_id?: string }> &
  Readonly<Record<string, unknown>>;

const SAID = ['comment', 'thread', 'message', 'file', 'mention', 'review', 'mark', 'event'] as const;
/** What the network keeps; files are blobs. */
export const KINDS = [...SAID, 'upload', 'draft', 'post', 'subscription', 'blob'] as const;

export type Kind = Exclude<(typeof KINDS)[number], 'blob'>;
export type PlazaDocs = Record<Kind, Thing> & { blob: Blob };

/** JSON in which ids are bare numbers, too large for a double. */
export const numericJson = (value: unknown): string => JSON.stringify(value).replaceAll(/"(\d{17})"/g, '$1');

const named = (n: number, name: string) => ({ id: String(90_000_000_000_000_000n + BigInt(n)), name });

/** Who lives here: owners have profiles, and these have stalls, which are their pages. */
export const OWNERS = [
  { id: 'ada', name: 'Ada Baker', profiles: [named(1, 'Bakery')] },
  { id: 'ben', name: 'Ben Brewer', profiles: [named(2, 'Brewery')] },
  { id: 'dot', name: 'Dot Dyer', profiles: [named(3, 'Dyes'), named(4, 'Cloth')] },
] as const;

export const FOLLOWERS = [
  { ...named(201, 'Cleo'), handle: 'cleo' },
  { ...named(202, 'Fay'), handle: 'fay' },
] as const;

export const profilesOf = (person: string) => OWNERS.find(({ id }) => id === person)?.profiles ?? [];
export const ownerOf = (profile: string) => OWNERS.find(({ profiles }) => profiles.some(({ id }) => id === profile));

/** The pages of a profile. */
export const stallsOf = (profile: string) =>
  [1, 2].map((n) => named(Number(profile.slice(-3)) + n * 1000, `Stall ${n}`));

/** The profile that a stall is of. */
export const profileOfStall = (stall: string) =>
  OWNERS.flatMap(({ profiles }) => profiles).find((one) => stallsOf(one.id).some(({ id }) => id === stall));
