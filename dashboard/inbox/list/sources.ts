import { ABILITIES } from '#kernel/people/abilities.ts';
import type { Call } from '../../lib/call.ts';
import type { AbleAccount, Input, Mention } from '../../lib/operations.ts';
import { cursorAfter } from '../../lib/paging.ts';
import { ofConversation, ofFound, ofMention, ofPost, ofReview, ofUnanswered, type Item } from './items.ts';
import type { View } from './views.ts';

/** A part of a list, and the cursor at which it continues. */
export type Part = Readonly<{
  items: readonly Item[];
  next?: string | undefined;
  /** Messages about what could not be read. */
  warnings: readonly string[];
}>;

export type Source = (cursor?: string) => Promise<Part>;

export type Filters = Readonly<Pick<Input<'search_inbox'>, 'account_id' | 'brand_id' | 'platform' | 'q' | 'kind'>>;

const PAGE_SIZE = 50;
/** The mentions of so many accounts are not read: each account needs a request, which asks its platform. */
const TOO_MANY = 20;
const NARROW = 'Only unanswered ones. Choose an account to see all.';

type Asked = Readonly<{
  view: View;
  filters: Filters;
  isArchive: boolean;
  /** The accounts that pass the filters. */
  accounts: readonly AbleAccount[];
}>;

type Listed<T> = Readonly<{
  data: readonly T[];
  pagination: Readonly<{ has_more: boolean; next_cursor: string }>;
}>;

export const partOf = <T>(page: Listed<T>, item: (one: T) => Item, warnings: readonly string[] = []): Part => ({
  items: page.data.map(item),
  next: cursorAfter(page),
  warnings,
});

export function makeSource(call: Call, { view, filters: given, isArchive, accounts }: Asked): Source {
  const { q, kind, ...filters } = given;
  const page = (cursor: string | undefined) => ({ ...filters, limit: PAGE_SIZE, cursor });
  switch (view) {
    case 'unanswered':
      return async (cursor) => partOf(await call('list_unanswered', page(cursor)), ofUnanswered);
    case 'messages': {
      const status = isArchive ? 'archived' : 'active';
      return async (cursor) => partOf(await call('list_conversations', { ...page(cursor), status }), ofConversation);
    }
    case 'comments':
      return async (cursor) => partOf(await call('list_inbox_posts', { ...page(cursor), min_comments: 1 }), ofPost);
    case 'reviews': {
      if (filters.platform !== undefined && filters.platform !== 'google') return async () => NOTHING;
      const { account_id, brand_id } = filters;
      return async (cursor) => {
        const reviews = await call('get_reviews', { account_id, brand_id, limit: PAGE_SIZE, cursor });
        const names = new Map(accounts.map(({ id, name }) => [id, name]));
        const failed = reviews.meta.failed_accounts.map(
          ({ account_id: id, error }) => `${names.get(id) ?? id}: ${error}`,
        );
        return partOf(reviews, ofReview, failed);
      };
    }
    case 'search':
      return async (cursor) => onceEach(partOf(await call('search_inbox', { ...page(cursor), q, kind }), ofFound));
    case 'mentions': {
      const mentioned = accounts.filter(({ capabilities }) => capabilities.includes(ABILITIES.inbox));
      if (mentioned.length < TOO_MANY) return mentionsOf(call, mentioned);
      return async (cursor) =>
        partOf(await call('list_unanswered', { ...page(cursor), kind: 'mention' }), ofUnanswered, [NARROW]);
    }
  }
}

/** Keeps only the newest message of each conversation, because they all open the same item. */
export function onceEach(part: Part): Part {
  const first = new Map(part.items.toReversed().map((item) => [item.key, item]));
  return { ...part, items: part.items.filter((item) => first.get(item.key) === item) };
}

const NOTHING: Part = { items: [], warnings: [] };

/** The cursor is empty until the account is read, and undefined after its last mention. */
type Read = { account: AbleAccount; waiting: readonly Mention[]; next: string | undefined };

/** The mentions of several accounts as one list, newest first. */
function mentionsOf(call: Call, accounts: readonly AbleAccount[]): Source {
  let reads: Read[] = [];

  async function readOn(read: Read, warnings: string[]): Promise<void> {
    try {
      const { id: account_id } = read.account;
      const page = await call('get_mentions', { account_id, cursor: read.next || undefined });
      read.waiting = [...read.waiting, ...page.data];
      read.next = cursorAfter(page);
      warnings.push(...(page.warnings ?? []));
    } catch (error) {
      read.next = undefined;
      warnings.push(`${read.account.name}: ${(error as Error).message}`);
    }
  }

  async function read(cursor: string | undefined): Promise<Part> {
    const warnings: string[] = [];
    if (cursor === undefined) reads = accounts.map((account) => ({ account, waiting: [], next: '' }));
    const found: Mention[] = [];
    while (found.length < PAGE_SIZE) {
      const dry = reads.filter(({ waiting, next }) => waiting.length === 0 && next !== undefined);
      await Promise.all(dry.map((read) => readOn(read, warnings)));
      const full = reads.filter(({ waiting }) => waiting.length > 0);
      if (full.length === 0) break;
      const newest = full.reduce((a, b) => (b.waiting[0]!.created_at > a.waiting[0]!.created_at ? b : a));
      found.push(newest.waiting[0]!);
      newest.waiting = newest.waiting.slice(1);
    }
    const hasMore = reads.some(({ waiting, next }) => waiting.length > 0 || next !== undefined);
    return { items: found.map(ofMention), next: hasMore ? 'more' : undefined, warnings };
  }

  let reading: Promise<unknown> = Promise.resolve();
  /** One after the other, because each continues where the accounts were left. */
  return (cursor) => {
    const part = reading.then(() => read(cursor));
    reading = part;
    return part;
  };
}
