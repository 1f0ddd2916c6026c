import type { MediaRef, Network, Overrides } from '#db/schema/database.ts';
import type { AccountRow } from '#db/access/accounts.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import type { OutgoingMedia } from '#platforms/media.ts';
import { knownPlatform, platformFor } from '#platforms/lookup.ts';
import type { Platform } from '#platforms/platform.ts';
import type { Issue, OutgoingPost } from '#platforms/posts.ts';
import { isTwice, type ComposeDeps, type TargetInput } from './addressing.ts';
import { outgoing } from './compose.ts';
import { refKey, type Content } from './content.ts';
import type { PostIssue } from './rules.ts';

/** A platform whose rules a post is checked against, named directly or through an account. */
export type Against = Readonly<{
  platform: PlatformSlug | typeof UNKNOWN;
  /** The connector that would publish, if any. */
  connector: Platform | undefined;
  /** The network of the account, or of new ones. */
  network: Network;
  overrides: Overrides;
  page_id: string | null;
  /** The account's id; `metadata` is the account's. */
  target?: string;
  metadata?: AccountRow['metadata'] | undefined;
}>;

/** Descriptions of the readable media, and why the others cannot be read, by reference. */
export type LookedUp = Readonly<{
  described: ReadonlyMap<string, OutgoingMedia>;
  missing: ReadonlyMap<string, string>;
}>;

export type Found = Omit<PostIssue, 'platform'> & Readonly<{ platform: Against['platform'] }>;

/** Shown as the platform of an unknown account, because the schema of the response requires a string. */
export const UNKNOWN = 'unknown' as const;
export const NO_POSTS = 'posts are not supported on this platform';

/** Determines what to check a post against: the named accounts and platforms, or all platforms. */
export function makeAgainst({ platforms, networkOf }: Pick<ComposeDeps, 'platforms' | 'networkOf'>) {
  function everywhere(): readonly Against[] {
    const publishing = [...platforms.values()].filter(({ posts }) => posts);
    return publishing.map((connector) => unaddressed(connector.slug, connector));
  }

  function unaddressed(platform: PlatformSlug, connector: Platform | undefined): Against {
    return { platform, connector, network: networkOf(platform), overrides: {}, page_id: null };
  }

  function publisherFor(account: AccountRow): Platform | undefined {
    const connector = platformFor(platforms, account);
    return connector?.posts && connector;
  }

  function addressed(targets: readonly TargetInput[], accounts: ReadonlyMap<string, AccountRow>): readonly Against[] {
    const twice = isTwice();
    return targets
      .filter((target) => !twice(target))
      .map(({ account_id, page_id, ...overrides }) => {
        const account = accounts.get(account_id);
        return {
          platform: account?.platform ?? UNKNOWN,
          connector: account && publisherFor(account),
          network: account?.network ?? 'real',
          overrides,
          page_id: page_id ?? null,
          target: account_id,
          metadata: account?.metadata,
        };
      });
  }

  /** Without an account, the rules of a platform's first kind of account apply. */
  function againstPlatforms(names: readonly string[]): readonly Against[] {
    return [...new Set(names)].map((name) => {
      const platform = knownPlatform(name, 'platforms');
      const first = platforms.get(platform);
      return unaddressed(platform, first?.posts && first);
    });
  }

  return { everywhere, publisherFor, addressed, againstPlatforms };
}

/** The platform and account that an issue concerns. */
export const blameOf = ({ platform, target }: Against) => ({ platform, ...(target !== undefined && { target }) });

/** The post as a target would publish it, without unreadable media. */
export function postOf({ platform, page_id, overrides }: Against, content: Content, { described, missing }: LookedUp) {
  const media = overrides.media?.filter((ref) => !missing.has(refKey(ref)));
  return outgoing(without(content, missing), { platform, page_id, overrides: { ...overrides, media } }, described);
}

const NAMES: Readonly<Partial<Record<OutgoingMedia['kind'], string>>> = { image: 'Picture', video: 'Video' };

/** Names the medium in an issue's message if the post has several. */
export function nameMedium<I extends Issue>({ media, segments }: OutgoingPost, issue: I): I {
  const at = /^media\.(\d+)$/.exec(issue.field)?.[1];
  const all = issue.segment_index === undefined ? media : (segments[issue.segment_index]?.media ?? []);
  const item = at === undefined || all.length < 2 ? undefined : all[Number(at)];
  if (item === undefined) return issue;
  return { ...issue, message: `${NAMES[item.kind] ?? 'File'} ${Number(at) + 1}: ${issue.message}` };
}

function without(content: Content, missing: ReadonlyMap<string, string>): Content {
  const present = (ref: MediaRef) => !missing.has(refKey(ref));
  return {
    ...content,
    media: content.media.filter(present),
    segments: content.segments.map((segment) => ({ ...segment, media: segment.media?.filter(present) })),
  };
}
