import { isPlatform, type PlatformSlug } from '#kernel/platforms.ts';

const PREFIXES = Object.freeze({ comment: 'cmt_', dm: 'dm_', review: 'rev_', mention: 'mnt_' });

/** Platforms' ids are far shorter than this. */
const LONGEST = 500;

export type InteractionType = keyof typeof PREFIXES;

/** Further events about a message; they get an id of their own, as receivers tell interactions apart by id. */
const ASPECTS = Object.freeze(['postback'] as const);

export type Aspect = (typeof ASPECTS)[number];

/** The id of an interaction; `aspect` names a further event of a message: docs/contract/inbox.md#interaction-ids. */
export function interactionId(
  type: InteractionType,
  platform: PlatformSlug,
  platformId: string,
  aspect?: Aspect,
): string {
  const kind = aspect === undefined ? platform : `${platform}/${aspect}`;
  return PREFIXES[type] + Buffer.from(`${kind}:${platformId}`).toString('base64url');
}

/** The parts of one of our ids; undefined for other ids, which may be the platform's. */
export function readInteractionId(
  type: InteractionType,
  id: string,
): Readonly<{ platform: PlatformSlug; platformId: string }> | undefined {
  if (!id.startsWith(PREFIXES[type])) return undefined;
  const text = Buffer.from(id.slice(PREFIXES[type].length), 'base64url').toString();
  const colon = text.indexOf(':');
  const [platform = '', named] = text.slice(0, colon).split('/');
  const aspect = ASPECTS.find((known) => known === named);
  if (colon < 0 || !isPlatform(platform)) return undefined;
  const platformId = text.slice(colon + 1);
  // An id that cannot be stored.
  if (platformId === '' || platformId.length > LONGEST || platformId.includes('\0')) return undefined;
  return interactionId(type, platform, platformId, aspect) === id ? { platform, platformId } : undefined;
}
