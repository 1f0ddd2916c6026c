import { isPlatform, type PlatformSlug } from '#kernel/platforms.ts';

const PREFIXES = Object.freeze({ comment: 'cmt_', dm: 'dm_', review: 'rev_', mention: 'mnt_' });

/** Platforms' ids are far shorter. */
const LONGEST = 500;

export type InteractionType = keyof typeof PREFIXES;

/** Events that share a message's platform id: receivers distinguish interactions by id. */
const ASPECTS = Object.freeze(['postback'] as const);

export type Aspect = (typeof ASPECTS)[number];

/** The id of an interaction; an aspect belongs to its message: docs/contract/inbox.md#interaction-ids. */
export function interactionId(
  type: InteractionType,
  platform: PlatformSlug,
  platformId: string,
  aspect?: Aspect,
): string {
  const kind = aspect === undefined ? platform : `${platform}/${aspect}`;
  return PREFIXES[type] + Buffer.from(`${kind}:${platformId}`).toString('base64url');
}

/** The parts of an id of ours; undefined for others, which may be the platform's. */
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
  // An id that no store could hold.
  if (platformId === '' || platformId.length > LONGEST || platformId.includes('\0')) return undefined;
  return interactionId(type, platform, platformId, aspect) === id ? { platform, platformId } : undefined;
}
