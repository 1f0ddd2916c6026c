/** A thing of the network; ids are numbers of 17 digits. */
export type Thing = Readonly<{ id: string; at: number; page_id?: string; parent_id?: string }> &
  Readonly<Record<string, unknown>>;

/** What the network keeps. */
export const KINDS = [
  'upload',
  'draft',
  'post',
  'comment',
  'thread',
  'message',
  'mention',
  'review',
  'file',
  'subscription',
  'mark',
  'event',
] as const;

export type Kind = (typeof KINDS)[number];
export type PlazaDocs = Record<Kind, Thing>;

/** JSON in which ids are bare numbers, too large for a double. */
export const numericJson = (value: unknown): string => JSON.stringify(value).replaceAll(/"(\d{17})"/g, '$1');

const profileId = (n: number) => String(90_000_000_000_000_100n + BigInt(n));

/** Who lives here: owners have profiles, and these have stalls, which are their pages. */
export const OWNERS = [
  { id: 'ada', name: 'Ada Baker', profiles: [{ id: profileId(1), name: 'Bakery' }] },
  { id: 'ben', name: 'Ben Brewer', profiles: [{ id: profileId(2), name: 'Brewery' }] },
  {
    id: 'dot',
    name: 'Dot Dyer',
    profiles: [
      { id: profileId(3), name: 'Dyes' },
      { id: profileId(4), name: 'Cloth' },
    ],
  },
] as const;

export const FOLLOWERS = [
  { id: profileId(201), handle: 'cleo', name: 'Cleo' },
  { id: profileId(202), handle: 'fay', name: 'Fay' },
] as const;

export const profilesOf = (person: string) => OWNERS.find(({ id }) => id === person)?.profiles ?? [];
export const ownerOf = (profile: string) => OWNERS.find(({ profiles }) => profiles.some(({ id }) => id === profile));

/** The pages of a profile. */
export const stallsOf = (profile: string) =>
  [1, 2].map((n) => ({ id: String(BigInt(profile) + BigInt(n) * 1000n), name: `Stall ${n}` }));

/** The profile that a stall is of. */
export const profileOfStall = (stall: string) => {
  const all = OWNERS.flatMap(({ profiles }) => profiles.map(({ id }) => id));
  return all.find((profile) => stallsOf(profile).some(({ id }) => id === stall));
};
