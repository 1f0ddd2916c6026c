import type { MediaRef, Network, Overrides } from '#db/schema/database.ts';
import type { AccountRow } from '#db/access/accounts.ts';
import type { Authority } from '#kernel/authority.ts';
import type { MediaSource, PageChoice } from '#call/ports.ts';
import type { Clock } from '#kernel/clock.ts';
import { ApiError, messageOf, orRefusal } from '#kernel/errors.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import type { OutgoingMedia } from '#platforms/media.ts';
import { hasPages, knownPlatform, platformFor } from '#platforms/lookup.ts';
import type { Platform } from '#platforms/platform.ts';
import { accountsOf, isTwice, pagesAmong, type ComposeDeps, type TargetInput } from './addressing.ts';
import { attachedTo, outgoing, withMedia } from './compose.ts';
import { hasContent, refKey, refsOf, type Content } from './content.ts';
import { issuesOf, makeTextCheck, refusedSources, type PostIssue, type TextCheck } from './rules.ts';
import { refusePast } from './timing.ts';

export type Check = Readonly<{
  content: Content;
  platforms: readonly string[];
  targets: readonly TargetInput[];
  /** When it would be published, if known (milliseconds). */
  scheduledAt?: number | undefined;
}>;

/** A platform to check a post for, by account or by name. */
type Against = Readonly<{
  platform: PlatformSlug | typeof UNKNOWN;
  /** The connector that would publish, if any. */
  connector: Platform | undefined;
  /** The network of the account, or of new ones. */
  network: Network;
  overrides: Overrides;
  page_id: string | null;
  /** Id of the account, and its metadata. */
  target?: string;
  metadata?: AccountRow['metadata'] | undefined;
}>;

/** Properties of readable media, and why others are unreadable, by name. */
type LookedUp = Readonly<{ described: ReadonlyMap<string, OutgoingMedia>; missing: ReadonlyMap<string, string> }>;

export type Found = Omit<PostIssue, 'platform'> & Readonly<{ platform: Against['platform'] }>;

/** The platform of a missing account; clients' models require a text. */
const UNKNOWN = 'unknown' as const;
const NO_POSTS = 'posts are not supported on this platform';

/** Posts are checked against accounts' connectors, named platforms, or all. */
function makeAgainst({ platforms, networkOf }: Pick<ComposeDeps, 'platforms' | 'networkOf'>) {
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

  /** For a platform without an account, its first kind counts. */
  function called(names: readonly string[]): readonly Against[] {
    return [...new Set(names)].map((name) => {
      const platform = knownPlatform(name, 'platforms');
      const first = platforms.get(platform);
      return unaddressed(platform, first?.posts && first);
    });
  }

  return { everywhere, publisherFor, addressed, called };
}

/** Checks a post without creating it; unknown accounts and media are issues, not refusals. */
export function makeValidation(deps: ComposeDeps & Readonly<{ clock: Clock }>) {
  const { everywhere, publisherFor, addressed, called } = makeAgainst(deps);

  return async function validate(authority: Authority, { content, platforms, targets, scheduledAt }: Check) {
    const accounts = await accountsOf(deps.db, authority, targets);
    const named = [...addressed(targets, accounts), ...called(platforms)];
    const against = named.length === 0 ? everywhere() : named;
    const attached = against.flatMap(({ connector, overrides }) => attachedTo(connector, content, overrides));
    const media = await lookUp(deps.media, authority, [...refsOf(content, targets), ...attached]);
    const check = makeTextCheck();
    const errors = [
      ...pastTimes(deps.clock.now(), scheduledAt, against, targets, accounts),
      ...(await wrongTargets(targets, accounts)),
      ...unsupported(named),
      ...against.flatMap((one) => wrongContent(one, content, media, check)),
    ];
    const warnings = [
      ...hindered(accounts.values(), publisherFor),
      ...against.flatMap((one) => doubtsOf(one, content, media)),
    ];
    return { valid: errors.length === 0, errors, warnings };
  };

  async function wrongTargets(
    targets: readonly TargetInput[],
    accounts: ReadonlyMap<string, AccountRow>,
  ): Promise<readonly Found[]> {
    const choosePage = await pagesAmong(deps, accounts.values());
    const twice = isTwice();
    return targets.flatMap(({ account_id: target, page_id }): Found[] => {
      const account = accounts.get(target);
      const blame = { platform: account?.platform ?? UNKNOWN, field: 'account_id', target };
      if (twice({ account_id: target, page_id })) {
        return [{ ...blame, message: messageOf('publishing.duplicate_target') }];
      }
      if (!account) return [{ ...blame, message: `There is no account ${target}.` }];
      if (!publisherFor(account)) return [{ ...blame, message: NO_POSTS }];
      const wrong = pageless(account, page_id, choosePage);
      return [
        ...(account.status === 'active' ? [] : [{ ...blame, message: 'must be connected again' }]),
        ...(wrong === undefined ? [] : [{ ...blame, field: 'page_id', message: wrong }]),
      ];
    });
  }

  function unsupported(named: readonly Against[]): readonly Found[] {
    return named
      .filter(({ connector, target }) => target === undefined && !connector)
      .map(({ platform }) => ({ platform, field: 'platforms', message: NO_POSTS }));
  }

  /** Issues of the content; media are looked up even if nothing would publish it. */
  function wrongContent(one: Against, content: Content, media: LookedUp, check: TextCheck): readonly Found[] {
    const { connector, overrides, network } = one;
    const blame = blameOf(one);
    const attached = attachedTo(connector, content, overrides);
    const refs = [...refsOf(content, [overrides]), ...attached];
    const missing = [...new Set(refs.flatMap((ref) => media.missing.get(refKey(ref)) ?? []))];
    const absent = missing.map((message) => ({ ...blame, field: 'media', message }));
    if (connector === undefined) return absent;
    const sources = new Set(refusedSources(connector, refs).map(({ source_type }) => source_type));
    const post = postOf(one, content, media);
    const empty = hasContent(content, overrides)
      ? []
      : [{ field: 'text', message: 'text, media or segments is required' }];
    const { maxBytes, unreachable } = deps.media;
    const found = withMedia(attached, media.described);
    const refused = [...sources].map((source) => ({ field: 'media', message: `media by ${source} is not supported` }));
    return [
      ...empty.map((issue) => ({ ...blame, ...issue })),
      ...absent,
      ...[
        ...refused,
        ...issuesOf(connector, post, { check, maxBytes, attached: found, unreachable: unreachable(network) }),
      ].map((issue) => ({
        ...blame,
        ...issue,
      })),
    ];
  }

  /** Why the account has no page for the post, or none is named. */
  function pageless(account: AccountRow, named: string | undefined, choosePage: PageChoice): string | undefined {
    if (!hasPages(deps.platforms, account))
      return named === undefined ? undefined : messageOf('account.pages_not_supported');
    if (named === undefined && account.status !== 'active') return undefined;
    const page = orRefusal(() => choosePage(account, named));
    return page instanceof ApiError ? page.message : undefined;
  }
}

function hindered(
  accounts: Iterable<AccountRow>,
  publisherFor: (account: AccountRow) => Platform | undefined,
): readonly Found[] {
  return [...accounts].flatMap((account): Found[] => {
    const message = publisherFor(account)?.posts?.hindrance?.(account.metadata);
    const { id: target, platform } = account;
    return message === undefined ? [] : [{ platform, field: 'account_id', message, target }];
  });
}

/** What a platform may refuse in spite of its rules. */
function doubtsOf(one: Against, content: Content, media: LookedUp): readonly Found[] {
  const doubts = one.connector?.posts?.doubts?.(postOf(one, content, media), one.metadata) ?? [];
  return doubts.map((issue) => ({ ...blameOf(one), ...issue }));
}

const blameOf = ({ platform, target }: Against) => ({ platform, ...(target !== undefined && { target }) });

/** The post as a target would publish it, without unreadable media. */
function postOf({ platform, page_id, overrides }: Against, content: Content, { described, missing }: LookedUp) {
  const media = overrides.media?.filter((ref) => !missing.has(refKey(ref)));
  return outgoing(without(content, missing), { platform, page_id, overrides: { ...overrides, media } }, described);
}

function without(content: Content, missing: ReadonlyMap<string, string>): Content {
  const present = (ref: MediaRef) => !missing.has(refKey(ref));
  return {
    ...content,
    media: content.media.filter(present),
    segments: content.segments.map((segment) => ({ ...segment, media: segment.media?.filter(present) })),
  };
}

function pastTimes(
  now: number,
  scheduledAt: number | undefined,
  against: readonly Against[],
  targets: readonly TargetInput[],
  accounts: ReadonlyMap<string, AccountRow>,
): readonly Found[] {
  const isPast = (at: number | undefined) => at !== undefined && orRefusal(() => refusePast(at, now)) !== undefined;
  const about = { field: 'scheduled_at', message: 'is in the past' };
  const everyone = isPast(scheduledAt) ? new Set(against.map(({ platform }) => platform)) : [];
  const own = targets.filter(({ scheduled_at }) => isPast(scheduled_at));
  return [
    ...[...everyone].map((platform) => ({ platform, ...about })),
    ...own.map(({ account_id: target }) => ({
      platform: accounts.get(target)?.platform ?? UNKNOWN,
      ...about,
      target,
    })),
  ];
}

async function lookUp(media: MediaSource, authority: Authority, refs: readonly MediaRef[]): Promise<LookedUp> {
  const described = new Map<string, OutgoingMedia>();
  const missing = new Map<string, string>();
  for (const [index, found] of (await media.lookUp(authority.workspace, refs)).entries()) {
    const key = refKey(refs[index]!);
    if (found instanceof ApiError) missing.set(key, `${refs[index]!.source}: ${found.message}`);
    else described.set(key, found);
  }
  return { described, missing };
}
