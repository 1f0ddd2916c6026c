import type { AccountRow } from '../../../db/accounts.ts';
import type { Reach } from '../../call/caller.ts';
import type { MediaRef, PageChoice } from '../../call/ports.ts';
import type { Clock } from '../../kernel/clock.ts';
import { ApiError, fail, messageOf, orRefusal } from '../../kernel/errors.ts';
import { isPlatform, type PlatformSlug } from '../../kernel/platforms.ts';
import type { OutgoingMedia } from '../../platforms/platform.ts';
import { accountsOf, isTwice, pagesAmong, type ComposeDeps, type TargetInput } from './compose.ts';
import { hasContent, outgoing, refKey, refsOf, type Content, type Overrides } from './content.ts';
import { refusePast } from './create.ts';
import { issuesOf, makeTextCheck, refusedSources, type PostIssue } from './rules.ts';

export type Check = Readonly<{
  content: Content;
  platforms: readonly string[];
  targets: readonly TargetInput[];
  /** When it would go out, where that is known (milliseconds). */
  scheduledAt?: number | undefined;
}>;

type Against = Readonly<{ platform: PlatformSlug; overrides: Overrides; page_id: string | null; target?: number }>;

/** What a check found; an account that does not exist has no platform. */
export type Found = Omit<PostIssue, 'platform'> & Readonly<{ platform: PlatformSlug | null }>;

/** Checks a post without making it; unknown accounts and media are errors of the list, not refusals. */
export function makeValidation(deps: ComposeDeps & Readonly<{ clock: Clock }>) {
  return async function validate(reach: Reach, { content, platforms, targets, scheduledAt }: Check) {
    const named = await targetsOf(reach, targets);
    const bare = platformsOf(platforms);
    const nothing = platforms.length === 0 && targets.length === 0;
    const against = nothing ? everywhere() : [...named.against, ...bare.against];
    const media = await lookUp(reach, refsOf(content, targets));
    const errors: Found[] = [...timesOf(scheduledAt, targets), ...named.errors, ...bare.errors];
    const check = makeTextCheck();
    for (const { platform, overrides, page_id, target } of against) {
      const connector = deps.platforms.get(platform)!;
      const refs = refsOf(content, [overrides]);
      const missing = refs.flatMap((ref) => media.missing.get(refKey(ref)) ?? []);
      const known = outgoing(
        without(content, media.missing),
        {
          platform,
          page_id,
          overrides: { ...overrides, media: overrides.media?.filter((ref) => !media.missing.has(refKey(ref))) },
        },
        media.described,
      );
      const sources = refusedSources(connector, refs).map(
        ({ source_type }) => `media by ${source_type} is not supported`,
      );
      const found = [
        ...[...new Set([...missing, ...sources])].map((message) => ({ field: 'media', message })),
        ...issuesOf(connector, known, check),
      ];
      if (!hasContent(content, overrides))
        found.unshift({ field: 'text', message: 'text, media or segments is required' });
      errors.push(...found.map((issue) => ({ platform, ...issue, ...(target !== undefined && { target }) })));
    }
    return { valid: errors.length === 0, errors, warnings: [] };
  };

  function timesOf(scheduledAt: number | undefined, targets: readonly TargetInput[]): readonly Found[] {
    const now = deps.clock.now();
    const isPast = (at: number | undefined) => at !== undefined && orRefusal(() => refusePast(at, now)) !== undefined;
    const about = { platform: null, field: 'scheduled_at', message: 'is in the past' } as const;
    const own = targets.flatMap(({ scheduled_at }, target) => (isPast(scheduled_at) ? [{ ...about, target }] : []));
    return [...(isPast(scheduledAt) ? [about] : []), ...own];
  }

  async function targetsOf(reach: Reach, targets: readonly TargetInput[]) {
    const against: Against[] = [];
    const errors: Found[] = [];
    const accounts = await accountsOf(deps.db, reach, targets);
    const pageOf = await pagesAmong(deps, accounts.values());
    const twice = isTwice();
    for (const [target, { account_id, page_id, scheduled_at: _, ...overrides }] of targets.entries()) {
      const account = accounts.get(account_id);
      const blame = { platform: account?.platform ?? null, field: 'account_id', target };
      if (twice({ account_id, page_id })) errors.push({ ...blame, message: messageOf('publishing.duplicate_target') });
      else if (!account) errors.push({ ...blame, message: `There is no account ${account_id}.` });
      else if (!deps.platforms.get(account.platform)?.posts) errors.push({ ...blame, message: NO_POSTS });
      else {
        against.push({ platform: account.platform, overrides, page_id: page_id ?? null, target });
        if (account.status !== 'active') errors.push({ ...blame, message: 'must be connected again' });
        const wrong = pageless(account, page_id, pageOf);
        if (wrong !== undefined) errors.push({ ...blame, field: 'page_id', message: wrong });
      }
    }
    return { against, errors };
  }

  /** Why no page of the account could take the post, or none is meant. */
  function pageless(account: AccountRow, named: string | undefined, pageOf: PageChoice): string | undefined {
    const hasPages = deps.platforms.get(account.platform)?.pages !== undefined;
    if (!hasPages) return named === undefined ? undefined : messageOf('account.pages_not_supported');
    if (named === undefined && account.status !== 'active') return undefined;
    const page = orRefusal(() => pageOf(account, named));
    return page instanceof ApiError ? page.message : undefined;
  }

  function platformsOf(platforms: readonly string[]) {
    const against: Against[] = [];
    const errors: Found[] = [];
    for (const platform of new Set(platforms)) {
      if (!isPlatform(platform)) {
        const message = `There is no platform ${platform}.`;
        fail('account.unsupported_platform', { message, meta: { field: 'platforms' } });
      }
      if (deps.platforms.get(platform)?.posts) against.push({ platform, overrides: {}, page_id: null });
      else errors.push({ platform, field: 'platforms', message: NO_POSTS });
    }
    return { against, errors };
  }

  function everywhere(): readonly Against[] {
    const publishing = [...deps.platforms.values()].filter(({ posts }) => posts);
    return publishing.map(({ slug }) => ({ platform: slug, overrides: {}, page_id: null }));
  }

  /** The facts of the media that is there, and why the rest is not. */
  async function lookUp(reach: Reach, refs: readonly MediaRef[]) {
    const described = new Map<string, OutgoingMedia>();
    const missing = new Map<string, string>();
    for (const [index, found] of (await deps.media.lookUp(reach.workspace, refs)).entries()) {
      const key = refKey(refs[index]!);
      if (found instanceof ApiError) missing.set(key, found.message);
      else described.set(key, found);
    }
    return { described, missing };
  }
}

const NO_POSTS = 'posts are not supported on this platform';

function without(content: Content, missing: ReadonlyMap<string, string>): Content {
  const present = (ref: MediaRef) => !missing.has(refKey(ref));
  return {
    ...content,
    media: content.media.filter(present),
    segments: content.segments.map((segment) => ({ ...segment, media: segment.media?.filter(present) })),
  };
}
