import type { AccountRow } from '#db/access/accounts.ts';
import { loadMessage } from '#db/inbox/messages.ts';
import type { Store } from '#db/store/store.ts';
import type { MediaSource } from '#call/ports.ts';
import { refuseDead } from '#call/accounts.ts';
import { partOf, type SendBegun, type SendContext } from '#call/sends.ts';
import type { Authority } from '#kernel/authority.ts';
import type { Clock } from '#kernel/clock.ts';
import { noSuch } from '#kernel/errors.ts';
import { notSupported } from '#platforms/lookup.ts';
import type { Bubble, SentMessage } from '#platforms/messages.ts';
import type { MessageContent, PlatformMessage } from '#platforms/inbox-types.ts';
import type { Conversations } from '../read/conversations.ts';
import { notOwner, platformIdOf, type Lookup } from '../read/lookup.ts';
import { platformConversation } from '../record/conversation.ts';
import { refusedFailure } from '#platforms/refusal.ts';
import { dmStatus } from '../record/events.ts';
import { record } from '../record/record.ts';
import {
  attachmentField,
  attachmentsOf,
  bubblesOf,
  checkRequest,
  checkMedia,
  checkParts,
  refuseUnfetchable,
  type MessageRequest,
} from './message-request.ts';
import type { SendingModule } from './sending.ts';

type MessageSendingDeps = Readonly<{
  store: Store;
  clock: Clock;
  media: Pick<MediaSource, 'describe' | 'unreachable'>;
  lookup: Lookup;
  conversations: Conversations;
  sending: SendingModule;
}>;

export type MessageSendRequest = MessageRequest &
  Readonly<{ account_id?: string | undefined; reply_to_message_id?: string | undefined }>;

export function messageContent(bubble: Bubble): MessageContent {
  const { reply_to } = bubble;
  if (bubble.kind === 'text') return { reply_to, text: bubble.text, attachments: [], metadata: templateOf(bubble) };
  if (bubble.kind === 'attachment') {
    return { reply_to, text: bubble.caption ?? '', attachments: [{ type: bubble.type, url: bubble.url ?? '' }] };
  }
  const text = bubble.cards.map(({ title }) => title).join(' · ');
  return { reply_to, text, attachments: [], metadata: { cards: bubble.cards } };
}

/** A sent message as the inbox shows it until the platform reports it. */
export function sentAs(
  content: MessageContent,
  made: SentMessage,
  correlationId: string,
  now: number,
): PlatformMessage {
  return {
    platform_id: made.message_id,
    direction: 'outgoing',
    created_at: made.created_at ?? now,
    correlation_id: correlationId,
    status: 'sent',
    ...content,
  };
}

function templateOf({ buttons, quick_replies, list }: Extract<Bubble, { kind: 'text' }>) {
  return { ...(buttons && { buttons }), ...(quick_replies && { quick_replies }), ...(list && { list }) };
}

export function makeMessageSending({ store, clock, media, lookup, conversations, sending }: MessageSendingDeps) {
  /** The account of the conversation; if the caller names one, it must be the same. */
  async function senderOf(authority: Authority, owner: string, named: string | undefined): Promise<AccountRow> {
    if (named !== undefined && named !== owner) {
      await lookup.accountOf(authority, named);
      notOwner('This conversation is not one of this account.');
    }
    return lookup.accountOf(authority, owner);
  }

  /** The platform's id of the message to reply to, which must belong to the conversation. */
  async function answeredIdOf(account: AccountRow, conversationId: string, id: string | undefined) {
    if (id === undefined) return undefined;
    const found = await loadMessage(store.db, account.id, platformIdOf('dm', account.platform, id));
    if (found?.conversation_id !== conversationId || found.gone_at !== null) noSuch('message', id);
    return found.platform_id;
  }

  async function deliver(
    { authority, workspace, signal, progress }: SendContext,
    named: string,
    request: MessageSendRequest,
    begun?: SendBegun,
  ) {
    checkRequest(request);
    const row = await conversations.conversationOf(authority, named);
    const { id } = row;
    const account = await senderOf(authority, row.account_id, request.account_id);
    const messages = lookup.capabilityOf(account, 'messages.send', (connector) => connector.messages);
    const { parts, bubble: sends } = messages;
    const { reply_to_message_id: replyTo } = request;
    if (replyTo !== undefined && parts.reply_to === undefined) notSupported(account.platform, 'messages.reply_to');
    checkParts(account, request, parts);
    const attached = attachmentsOf(request);
    const described = await media.describe(workspace.id, attached, (at) => attachmentField(request, at));
    checkMedia(account, request, described, parts);
    refuseUnfetchable(request, parts, media.unreachable(account.network));
    const replied = await answeredIdOf(account, id, replyTo);
    refuseDead(account);
    await lookup.pageForCall(account, row.page_id);

    const conversation = platformConversation(row);
    // Only identifies the conversation, as the person's details may be updated while the platform responds.
    const thread = { platform_id: row.platform_id, participant: { id: row.participant_id, name: '' } };
    const tag = parts.tags === undefined ? undefined : request.message_tag;
    const bubbles = bubblesOf(request, described, replied, parts);
    const { account_id: _, message_tag: __, attachment_url: ___, ...content } = request;
    return sending.send<SentMessage>(
      {
        kind: 'dm',
        account,
        workspace,
        metered: true,
        begun,
        request: { place: id, content: { ...content, attachments: attached, tag, replied } },
        parts: bubbles.map((bubble) => partOf(sends, { conversation, bubble, tag })),
        messages: bubbles.map(messageContent),
        idOf: ({ message_id }) => message_id,
        made: (count) => progress(count, bubbles.length, `${count} of ${bubbles.length} messages sent`),
        async keep(tx, sent, { index, correlationId }) {
          const now = clock.now();
          const message = sentAs(messageContent(bubbles[index]!), sent, correlationId, now);
          const events = [{ kind: 'message', conversation: sent.conversation ?? thread, message }] as const;
          await record(tx, account, events, { silent: false, now });
        },
        async refused(tx, error) {
          const status = { status: 'failed', ids: [], at: clock.now(), error: refusedFailure(error) } as const;
          await tx.emit(dmStatus(account, row, status));
        },
      },
      signal,
    );
  }

  return Object.freeze({
    async send(call: SendContext, id: string, request: MessageSendRequest, begun?: SendBegun) {
      const { made } = await sending.settle(begun, call.signal, () => deliver(call, id, request, begun));
      return answerOf(made);
    },
  });
}

function answerOf(made: readonly SentMessage[]) {
  const message_ids = made.map(({ message_id }) => message_id);
  return { success: true, message_ids, message_id: message_ids[0]! };
}
