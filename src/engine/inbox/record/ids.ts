import { isPlatform, type PlatformSlug } from '#kernel/platforms.ts';

const PREFIXES = Object.freeze({ comment: 'cmt_', dm: 'dm_', review: 'rev_', mention: 'mnt_' });

/** Ids of platforms are far shorter. */
const LONGEST = 500;

export type InteractionType = keyof typeof PREFIXES;

/** What else one message of a platform is: receivers tell interactions apart by their ids. */
const ASPECTS = Object.freeze(['postback'] as const);

export type Aspect = (typeof ASPECTS)[number];

/**
 * The id of an interaction: docs/contract/inbox.md#interaction-ids. That of an aspect stands for the message it is of.
 */
export function interactionId(
  type: InteractionType,
  platform: PlatformSlug,
  platformId: string,
  aspect?: Aspect,
): string {
  const kind = aspect === undefined ? platform : `${platform}/${aspect}`;
  return PREFIXES[type] + Buffer.from(`${kind}:${platformId}`).toString('base64url');
}

/** What an id of ours stands for; undefined when it is none, and so may be the platform's own. */
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
  // What no store would hold stands for nothing.
  if (platformId === '' || platformId.length > LONGEST || platformId.includes('\0')) return undefined;
  return interactionId(type, platform, platformId, aspect) === id ? { platform, platformId } : undefined;
}
