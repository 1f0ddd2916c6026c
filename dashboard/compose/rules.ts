import type { Counting } from '#kernel/text/length.ts';
import type { TextLimits } from '#kernel/text/limits.ts';
import type { Account, NamedAccount, Target } from '../lib/operations.ts';
import { counting } from '../lib/text/counting.ts';
import { destinationId, mediaAt, type Draft } from './draft.ts';

type Supported = Readonly<{ supported: boolean; required?: boolean; max_length?: number; counting_mode?: Counting }>;

export type Property = Readonly<{
  type?: string | readonly string[];
  enum?: readonly unknown[];
  const?: unknown;
  properties?: Readonly<Record<string, Property>>;
  required?: readonly string[];
  items?: Property;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  description?: string;
}>;

/** The result of get_constraints for a platform or kind of account. */
export type Rules = Readonly<{
  text: TextLimits & Readonly<{ photo_max_length: number; video_max_length: number }>;
  threads: Readonly<{ supported: boolean; max_segments: number }>;
  title: Supported;
  first_comment: Supported;
  board: Readonly<{ required: boolean }>;
  visibilities: readonly string[];
  options?: Readonly<{ properties: Readonly<Record<string, Property>> }>;
  kinds?: Readonly<Record<string, Rules>>;
}>;

export type Destination = Readonly<{
  id: string;
  accountId: string;
  pageId?: string | undefined;
  platform: string;
  name: string;
  username: string;
  brandId: string;
  rules: Rules;
  takesComment: boolean;
  /** Why nothing can be published there at present. */
  hindrance?: string | undefined;
  /** Switched off. It is shown only if a post already goes there. */
  isOff?: boolean;
  /** The account itself no longer exists. */
  isGone?: boolean;
}>;

type Page = Readonly<{ id: string; name: string; is_active: boolean }>;
/** What the page gets of an account that publishes. */
export type Publisher = NamedAccount & Pick<Account, 'username' | 'status'>;
type Known = Readonly<{
  accounts: readonly Publisher[];
  constraints: Readonly<Record<string, Rules>>;
  pages: Readonly<Record<string, readonly Page[]>>;
  kinds: Readonly<Record<string, Readonly<{ kind?: string }>>>;
}>;

export function destinationsOf({ accounts, constraints, pages, kinds }: Known): readonly Destination[] {
  return accounts.flatMap((account) => {
    const all = constraints[account.platform];
    if (all === undefined) return [];
    const kind = kinds[account.id]?.kind;
    const rules = (kind === undefined ? undefined : all.kinds?.[kind]) ?? all;
    const one: Destination = {
      id: account.id,
      accountId: account.id,
      platform: account.platform,
      name: account.name,
      username: account.username,
      brandId: account.brand_id,
      rules,
      takesComment: rules.first_comment.supported,
      ...(account.status !== 'active' && { hindrance: 'must be connected again' }),
    };
    const own = (pages[account.id] ?? []).map(({ id: pageId, name, is_active }): Destination => {
      const page = { ...one, id: destinationId(account.id, pageId), pageId, name };
      return is_active ? page : { ...page, hindrance: 'switched off', isOff: true };
    });
    return own.some(({ isOff }) => isOff !== true) ? own : [one, ...own];
  });
}

/** Whether a destination takes a first comment. An unknown destination may take one. */
export const takingComment =
  (destinations: readonly Destination[]) =>
  (id: string): boolean =>
    destinations.find((one) => one.id === id)?.takesComment ?? true;

/** Destinations of a post that are not among the known ones, so that none is dropped unnoticed. */
export function lostOf(
  targets: readonly Target[],
  known: readonly Destination[],
  constraints: Known['constraints'],
): readonly Destination[] {
  return targets.flatMap(({ account_id: accountId, page_id, platform, ...target }) => {
    const id = destinationId(accountId, page_id);
    const account = known.find((one) => one.accountId === accountId);
    const rules = account?.rules ?? constraints[platform];
    if (rules === undefined || known.some((one) => one.id === id)) return [];
    const place = { id, accountId, platform, rules, pageId: page_id ?? undefined };
    const { takesComment = rules.first_comment.supported, brandId = target.brand_id } = account ?? {};
    if (account === undefined) {
      const gone = { name: accountId, username: '', hindrance: 'not connected any more', isGone: true };
      return [{ ...place, ...gone, takesComment, brandId }];
    }
    const { username, isOff: _, ...others } = account;
    const hindrance = others.hindrance ?? (page_id === null ? undefined : 'this page was not found');
    return [{ ...others, ...place, username, name: page_id ?? username, hindrance }];
  });
}

/** An issue of one destination, or of all. `part` counts the later posts of a thread from 0. */
export type Issue = Readonly<{
  id: string | undefined;
  platform: string;
  field: string;
  message: string;
  part?: number | undefined;
  isWarning?: boolean;
}>;

function limitsFor(destination: Destination, draft: Draft): TextLimits {
  const { rules } = destination;
  const media = mediaAt(draft, destination.id);
  const { photo_max_length, video_max_length, ...text } = rules.text;
  if (media.some(({ type }) => type === 'video')) return { ...text, max_length: video_max_length };
  if (media.some(({ type }) => type === 'image')) return { ...text, max_length: photo_max_length };
  return text;
}

const faultsOf = (text: string, limits: TextLimits): readonly string[] => counting.value?.faultsOf(text, limits) ?? [];

const textFor = ({ id }: Destination, { instead, text }: Draft): string => instead[id] ?? text;

/** Issues that can be found here, in the same words as the server's. */
export function localIssues(draft: Draft, destinations: readonly Destination[]): readonly Issue[] {
  return destinations.flatMap((destination) => {
    const { id, platform, rules, takesComment, isGone, hindrance } = destination;
    const limits = limitsFor(destination, draft);
    const about = (field: string, text: string, by: TextLimits, part?: number) =>
      faultsOf(text, by).map((message): Issue => ({ id, platform, field, message, part }));
    const { first_comment: comment = draft.comment, title } = { title: draft.title, ...draft.own[id] };
    return [
      ...(isGone === true ? [{ id, platform, field: 'account_id', message: `is ${hindrance}` }] : []),
      ...about('text', textFor(destination, draft), limits),
      ...draft.parts.flatMap(({ text }, part) => about('text', text, limits, part)),
      ...(hasLimits(rules.title) && title ? about('title', title, rules.title) : []),
      ...(takesComment && hasLimits(rules.first_comment) && comment
        ? about('first_comment', comment, rules.first_comment)
        : []),
    ];
  });
}

export const fitsIn = (text: string, draft: Draft, destinations: readonly Destination[]): boolean =>
  destinations.every((destination) => faultsOf(text, limitsFor(destination, draft)).length === 0);

const hasLimits = (rule: Supported): rule is Supported & TextLimits => rule.max_length !== undefined;

/** The server's issues, each once for all pages of an account, except those already found here. */
export function besides(found: readonly Issue[], local: readonly Issue[]): readonly Issue[] {
  const sign = ({ id, field, message, part }: Issue) =>
    JSON.stringify([id, field, part ?? null, message.startsWith('exceeds ') ? 'exceeds' : message]);
  const known = new Set(local.map(sign));
  return found.filter((issue) => !known.has(sign(issue)) && known.add(sign(issue)));
}

/** How much of a destination's text limit is left. */
export type Meter = Readonly<{ destination: Destination; length: number; most: number; left: number }>;

export function metersOf(draft: Draft, destinations: readonly Destination[]): readonly Meter[] {
  const { lengthOf } = counting.value ?? {};
  if (lengthOf === undefined) return [];
  return destinations.map((destination) => {
    const { max_length: most, counting_mode } = limitsFor(destination, draft);
    const length = lengthOf(textFor(destination, draft), counting_mode);
    return { destination, length, most, left: most - length };
  });
}

/** The approximate length at which each platform folds a text. */
const FOLDED: ReadonlyMap<string, number> = new Map([
  ['facebook', 480],
  ['google', 250],
  ['instagram', 125],
  ['linkedin', 210],
  ['pinterest', 100],
  ['tiktok', 100],
  ['youtube', 150],
]);

/** The part of a text before the fold. */
export function foldedAt(text: string, platform: string): Readonly<{ shown: string; isFolded: boolean }> {
  const most = FOLDED.get(platform) ?? Infinity;
  return text.length > most
    ? { shown: text.slice(0, most).trimEnd(), isFolded: true }
    : { shown: text, isFolded: false };
}
