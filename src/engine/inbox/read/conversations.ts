import type { AccountRow } from '#db/access/accounts.ts';
import { type ConversationRow, holdConversation, patchConversation } from '#db/inbox/conversations.ts';
import {
  findConversation,
  findMergedConversation,
  listConversations,
  listMessages,
  listSyncStates,
  type ListedConversation,
} from '#db/inbox/lists.ts';
import { newestMessage } from '#db/inbox/messages.ts';
import { ownerIdOf } from '#db/access/users.ts';
import type { ConversationStatus } from '#db/schema/database.ts';
import type { Store } from '#db/store/store.ts';
import type { Authority } from '#kernel/authority.ts';
import { isoTime, within, type Clock } from '#kernel/clock.ts';
import { fail, noSuch } from '#kernel/errors.ts';
import type { Log } from '#kernel/log.ts';
import type { Lists, PageQuery } from '#kernel/pagination.ts';
import type { PlatformSlug } from '#kernel/platforms.ts';
import { platformFor, type Platforms } from '#platforms/lookup.ts';
import { platformConversation } from '../record/conversation.ts';
import type { AttachmentAddresses } from './attachment-addresses.ts';
import type { Lookup } from './lookup.ts';
import { presentConversation, presentMessage } from './present-inbox.ts';

/** How long a call waits until a read receipt has been sent. */
const SEEN_MS = 5_000;

type ConversationDeps = Readonly<{
  store: Store;
  clock: Clock;
  log: Log;
  lists: Lists;
  lookup: Lookup;
  platforms: Platforms;
  addresses: AttachmentAddresses;
}>;

export type ConversationFilter = {
  account_id?: string | undefined;
  brand_id?: string | undefined;
  page_id?: string | undefined;
  platform?: PlatformSlug | undefined;
  status?: ConversationStatus | undefined;
  awaiting_reply?: boolean | undefined;
};

/** `notify`: whether to send a read receipt, which people outside the workspace can see. */
type Marking = Readonly<{ notify: boolean }>;
type Change = Marking & Readonly<{ status: ConversationStatus | undefined; isRead: boolean | undefined }>;

/** Shows conversations of a workspace in the API's format. */
function makePresent({ store, clock, platforms }: Pick<ConversationDeps, 'store' | 'clock' | 'platforms'>) {
  return async function present(authority: Authority, rows: readonly ListedConversation[]) {
    const ownerId = await ownerIdOf(store.db, authority);
    return rows.map((row) =>
      presentConversation(row, { ownerId, platform: platformFor(platforms, row), now: clock.now() }),
    );
  };
}

export function makeConversations({ store, clock, log, lists, lookup, platforms, addresses }: ConversationDeps) {
  const present = makePresent({ store, clock, platforms });

  async function presentOne(authority: Authority, id: string) {
    return (await present(authority, [await conversationOf(authority, id)]))[0]!;
  }

  async function conversationOf(authority: Authority, id: string): Promise<ListedConversation> {
    const found =
      (await findConversation(store.db, authority, id)) ?? (await findMergedConversation(store.db, authority, id));
    return found ?? noSuch('conversation', id);
  }

  /** How up to date the visible inboxes are: the oldest time and the worst state among them. */
  async function syncOf(authority: Authority, filter: ConversationFilter) {
    const { account_id: accountId, brand_id: brandId, platform } = filter;
    const all = await listSyncStates(store.db, authority, { accountId, brandId, platform });
    const states = all.filter((one) => platformFor(platforms, one)?.messages !== undefined);
    const times = states.map(({ last_synced_at }) => last_synced_at ?? -1);
    const oldest = Math.min(...times);
    const has = (state: string) => states.some(({ sync_state }) => sync_state === state);
    return {
      last_synced_at: times.length === 0 || oldest < 0 ? null : isoTime(oldest),
      sync_state: (['failed', 'syncing'] as const).find(has) ?? ('idle' as const),
    };
  }

  /** Sends a read receipt; failures are only logged. */
  async function notifySeen(account: AccountRow, row: ConversationRow): Promise<void> {
    const seen = lookup.findConnector(account)?.messages?.seen;
    if (seen === undefined) return;
    const newest = await newestMessage(store.db, row.id, 'incoming');
    const sent = lookup
      .callPlatform(account, (call) => seen(call, platformConversation(row), newest?.platform_id))
      .catch((error: unknown) => log.info({ account_id: account.id, error }, 'messages not marked as seen'));
    await within(clock, SEEN_MS, sent);
  }

  async function markRead(authority: Authority, row: ConversationRow, { notify }: Marking): Promise<void> {
    await store.write((tx) => patchConversation(tx.db, row.id, { unread_count: 0, updated_at: clock.now() }));
    if (notify) await notifySeen(await lookup.accountOf(authority, row.account_id), row);
  }

  return Object.freeze({
    conversationOf,

    list: (authority: Authority, given: ConversationFilter, query: PageQuery) =>
      lists.page(query, {
        name: 'conversations',
        given,
        async read(filters, span) {
          await lookup.checkFilter(authority, filters);
          const { account_id: accountId, brand_id: brandId, page_id: pageId, platform, status = 'active' } = filters;
          const awaitingReply = filters.awaiting_reply;
          const filter = { accountId, brandId, pageId, platform, status, awaitingReply };
          return listConversations(store.db, authority, filter, span);
        },
        position: ({ last_message_at: at, id }) => ({ at, id }),
        show: (rows) => present(authority, rows),
        extra: (filters) => syncOf(authority, filters),
      }),

    async read(authority: Authority, id: string) {
      return { data: await presentOne(authority, id) };
    },

    async update(authority: Authority, id: string, { status, isRead, notify }: Change) {
      if (status === undefined && isRead === undefined) {
        fail('validation.field_required', { message: 'Send status or is_read.', meta: { field: 'status' } });
      }
      const row = await conversationOf(authority, id);
      await store.write(async (tx) => {
        const held = await holdConversation(tx.db, tx.dialect, row.id);
        const unread = isRead === false && held?.unread_count === 0 ? { unread_count: 1 } : {};
        await patchConversation(tx.db, row.id, { ...(status && { status }), ...unread, updated_at: clock.now() });
      });
      if (isRead === true) await markRead(authority, row, { notify });
      return { success: true, data: await presentOne(authority, id) };
    },

    async markRead(authority: Authority, id: string, marking: Marking) {
      await markRead(authority, await conversationOf(authority, id), marking);
      return { success: true, ok: true, id };
    },

    messages: (authority: Authority, id: string, query: PageQuery) =>
      lists.page(query, {
        name: 'messages',
        given: { conversation_id: id },
        async read(_, span) {
          const { id: merged, platform } = await conversationOf(authority, id);
          return (await listMessages(store.db, merged, span)).map((row) => ({ row, platform }));
        },
        position: ({ row }) => ({ at: row.created_at, id: row.platform_id }),
        show: (rows) => rows.map(({ row, platform }) => presentMessage(row, { platform, addresses })),
      }),
  });
}

export type Conversations = ReturnType<typeof makeConversations>;
