import type { MediaRef } from '#db/schema/database.ts';
import type { AccountRow } from '#db/access/accounts.ts';
import type { Authority } from '#kernel/authority.ts';
import type { MediaSource, PageChoice } from '#call/ports.ts';
import type { Clock } from '#kernel/clock.ts';
import { ApiError, messageOf, orRefusal } from '#kernel/errors.ts';
import type { OutgoingMedia } from '#platforms/media.ts';
import { hasPages } from '#platforms/lookup.ts';
import type { Platform } from '#platforms/platform.ts';
import { accountsOf, isTwice, pagesAmong, type ComposeDeps, type TargetInput } from './addressing.ts';
import {
  blameOf,
  makeAgainst,
  nameMedium,
  NO_POSTS,
  postOf,
  UNKNOWN,
  type Against,
  type Found,
  type LookedUp,
} from './against.ts';
import { attachedTo, withMedia } from './compose.ts';
import { hasContent, refKey, refsOf, type Content } from './content.ts';
import { makeConversions } from './conversions.ts';
import { issuesOf, makeTextCheck, refusedSources, type TextCheck } from './rules.ts';
import { refusePast } from './timing.ts';

export type Check = Readonly<{
  content: Content;
  platforms: readonly string[];
  targets: readonly TargetInput[];
  /** When the post would be published, if known (milliseconds). */
  scheduledAt?: number | undefined;
}>;

/** Checks a post without creating it; unknown accounts and media are issues, not refusals. */
export function makeValidation(deps: ComposeDeps & Readonly<{ clock: Clock }>) {
  const { everywhere, publisherFor, addressed, againstPlatforms } = makeAgainst(deps);
  const convert = makeConversions(deps);

  return async function validate(authority: Authority, { content, platforms, targets, scheduledAt }: Check) {
    const accounts = await accountsOf(deps.db, authority, targets);
    const named = [...addressed(targets, accounts), ...againstPlatforms(platforms)];
    const against = named.length === 0 ? everywhere() : named;
    const attached = against.flatMap(({ connector, overrides }) => attachedTo(connector, content, overrides));
    const media = await lookUp(deps.media, authority, [...refsOf(content, targets), ...attached]);
    const check = makeTextCheck();
    const wrong = new Map(against.map((one) => [one, wrongContent(one, content, media, check)]));
    const isSound = (one: Against) => wrong.get(one)!.length === 0;
    const conversions = await convert(authority, against, { content, lookedUp: media, isSound });
    const errors = [
      ...pastTimes(deps.clock.now(), scheduledAt, against, targets, accounts),
      ...(await wrongTargets(targets, accounts)),
      ...unsupported(named),
      ...[...wrong.values()].flat(),
      ...conversions.refused,
    ];
    const warnings = [
      ...hindered(accounts.values(), publisherFor),
      ...conversions.made,
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

  /** Finds issues of the content; also reports unreadable media if no platform would publish it. */
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
        ...nameMedium(post, issue),
      })),
    ];
  }

  /** Why no page can be chosen for the post. */
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

/** What a platform may refuse although its rules are met. */
function doubtsOf(one: Against, content: Content, media: LookedUp): readonly Found[] {
  const post = postOf(one, content, media);
  const doubts = one.connector?.posts?.doubts?.(post, one.metadata) ?? [];
  return doubts.map((issue) => ({ ...blameOf(one), ...nameMedium(post, issue) }));
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
