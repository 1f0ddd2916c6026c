import { lengthOf, type Counting } from '#kernel/text/length.ts';
import { faultsOf, type TextLimits } from '#kernel/text/limits.ts';
import type { Account } from '../lib/operations.ts';
import type { Draft } from './draft.ts';

type Supported = Readonly<{ supported: boolean; required?: boolean; max_length?: number; counting_mode?: Counting }>;

/** An option of a platform, as JSON Schema declares it. */
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

/** What get_constraints answers for a platform, or for a kind of its accounts. */
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

/** Somewhere a post can go: an account, or one of its pages. */
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
  /** Why nothing can be published there now. */
  hindrance?: string | undefined;
}>;

type Page = Readonly<{ id: string; name: string; is_active: boolean }>;
type Known = Readonly<{
  accounts: readonly Account[];
  constraints: Readonly<Record<string, Rules>>;
  pages: Readonly<Record<string, readonly Page[]>>;
  kinds: Readonly<Record<string, Readonly<{ kind?: string }>>>;
}>;

/** Everywhere a post can go. */
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
      ...(account.status !== 'active' && { hindrance: account.reconnect_reason ?? 'It must be connected again.' }),
    };
    const active = (pages[account.id] ?? []).filter(({ is_active }) => is_active);
    if (active.length === 0) return [one];
    return active.map(({ id: pageId, name }) => ({ ...one, id: `${account.id} ${pageId}`, pageId, name }));
  });
}

/** What speaks against a post at one destination, or at all; `part` is a post of the thread, from 0. */
export type Issue = Readonly<{
  id: string | undefined;
  platform: string;
  field: string;
  message: string;
  part?: number | undefined;
  isWarning?: boolean;
}>;

/** How long a text may be beside the media that a draft has. */
function limitsFor({ rules }: Destination, { media }: Draft): TextLimits {
  const { photo_max_length, video_max_length, ...text } = rules.text;
  if (media.some(({ type }) => type === 'video')) return { ...text, max_length: video_max_length };
  if (media.some(({ type }) => type === 'image')) return { ...text, max_length: photo_max_length };
  return text;
}

const textFor = ({ id }: Destination, { instead, text }: Draft): string => instead[id] ?? text;

/** What is wrong with the texts of a draft, in the words of the server. */
export function localIssues(draft: Draft, destinations: readonly Destination[]): readonly Issue[] {
  return destinations.flatMap((destination) => {
    const { id, platform, rules, takesComment } = destination;
    const limits = limitsFor(destination, draft);
    const about = (field: string, text: string, by: TextLimits, part?: number) =>
      faultsOf(text, by).map((message): Issue => ({ id, platform, field, message, part }));
    return [
      ...about('text', textFor(destination, draft), limits),
      ...draft.parts.flatMap(({ text }, part) => about('text', text, limits, part)),
      ...(hasLimits(rules.title) && draft.title !== '' ? about('title', draft.title, rules.title) : []),
      ...(takesComment && hasLimits(rules.first_comment) && draft.comment
        ? about('first_comment', draft.comment, rules.first_comment)
        : []),
    ];
  });
}

const hasLimits = (rule: Supported): rule is Supported & TextLimits => rule.max_length !== undefined;

/** What the server found besides what is known here; both say of a text that it is too long. */
export function besides(found: readonly Issue[], local: readonly Issue[]): readonly Issue[] {
  const sign = ({ id, field, message, part }: Issue) =>
    JSON.stringify([id, field, part ?? null, message.startsWith('exceeds ') ? 'exceeds' : message]);
  const known = new Set(local.map(sign));
  return found.filter((issue) => !known.has(sign(issue)));
}

/** How much of a text's length a destination leaves. */
export type Meter = Readonly<{ destination: Destination; length: number; most: number; left: number; isOwn: boolean }>;

/** Counts what each destination would get. */
export function metersOf(draft: Draft, destinations: readonly Destination[]): readonly Meter[] {
  return destinations.map((destination) => {
    const { max_length: most, counting_mode } = limitsFor(destination, draft);
    const length = lengthOf(textFor(destination, draft), counting_mode);
    return { destination, length, most, left: most - length, isOwn: draft.instead[destination.id] !== undefined };
  });
}

/** Where texts are cut off until somebody asks for more, about; people see the beginning alone. */
const FOLDED: ReadonlyMap<string, number> = new Map([
  ['facebook', 480],
  ['google', 250],
  ['instagram', 125],
  ['linkedin', 210],
  ['pinterest', 100],
  ['tiktok', 100],
  ['youtube', 150],
]);

/** What is seen of a text before it is opened. */
export function foldedAt(text: string, platform: string): Readonly<{ shown: string; isFolded: boolean }> {
  const most = FOLDED.get(platform) ?? Infinity;
  return text.length > most
    ? { shown: text.slice(0, most).trimEnd(), isFolded: true }
    : { shown: text, isFolded: false };
}
