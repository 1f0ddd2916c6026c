/** The chat service behind the PDS: conversations of two people, which apps poll through a log. */
import { list, object } from '../../kit/api/checks.ts';
import { text, union } from '../../atproto/formats.ts';
import { TOP } from '../../kit/chat/chats.ts';
import type { MemberRow } from '../../kit/chat/tables.ts';
import { chatRules, type ChatWorld } from './rules.ts';
import { makeChatViews, type Content } from './views.ts';
import { facet, quoted } from '../lexicons.ts';
import { invalid, procedure, query, required, whole, type Call, type Method } from '../../atproto/xrpc.ts';

type InConvo = { convoId: string };
type OnMessage = InConvo & { messageId: string };
type Item = InConvo & { message: Content };

const PAGE = { min: 1, max: 100, or: 50 };
const LOG_PAGE = 100;
const MOST_REACTIONS = 5;

const convoId = text();
const messageId = text();
const messageInput = object(
  { text: text({ bytes: 10_000, graphemes: 1000 }) },
  { facets: list(facet), embed: union({ 'app.bsky.embed.record': quoted }), replyTo: object({ messageId }) },
);
const inConvo = object({ convoId });
/** Whether a conversation is in the requested inbox: accepted ones, requests, or both. */
const isIn = (member: MemberRow | undefined, status: string | undefined) =>
  status === undefined || member?.status === status;
const note = ({ input }: Call<InConvo>) => input.convoId;

function membershipMethods(
  world: ChatWorld,
  views: ReturnType<typeof makeChatViews>,
  { own }: ReturnType<typeof chatRules>,
) {
  const { store, chat } = world;

  const acceptConvo = procedure<InConvo>({
    check: inConvo,
    note,
    run({ input, session: { did } }) {
      const rev = store.write(() => chat.accept(own(input.convoId, did).member));
      return { json: { ...(rev !== undefined && { rev }) } };
    },
  });

  const leaveConvo = procedure<InConvo>({
    check: inConvo,
    note,
    run({ input, session: { did } }) {
      const rev = store.write(() => chat.leave(own(input.convoId, did).member));
      return { json: { convoId: input.convoId, rev } };
    },
  });

  const mute = (muted: boolean) =>
    procedure<InConvo>({
      check: inConvo,
      note,
      run({ input, session: { did } }) {
        const { convo, member } = own(input.convoId, did);
        store.write(() => chat.mute(member, muted));
        return { json: { convo: views.convo(own(convo.id, did).convo, did) } };
      },
    });

  return Object.freeze({ acceptConvo, leaveConvo, mute });
}

function convoMethods(world: ChatWorld, views: ReturnType<typeof makeChatViews>, rules: ReturnType<typeof chatRules>) {
  const { own, otherOf, refusal } = rules;
  const { chat, relations, store } = world;

  const listConvos = query({
    auth: 'access',
    run({ params, session: { did } }) {
      const limit = whole(params, 'limit', PAGE);
      const rows = chat.list(did, params.get('cursor') || TOP, limit);
      const wanted = rows
        .filter(({ id }) => isIn(chat.member(id, did), params.get('status') ?? undefined))
        .map((row) => views.convo(row, did) as { unreadCount: number })
        .filter(({ unreadCount }) => params.get('readState') !== 'unread' || unreadCount > 0);
      const last = rows.length === limit ? rows.at(-1) : undefined;
      return { json: { ...(last && { cursor: last.last_rev }), convos: wanted } };
    },
  });

  const getConvo = query({
    auth: 'access',
    run: ({ params, session: { did } }) => ({
      json: { convo: views.convo(own(required(params, 'convoId'), did).convo, did) },
    }),
  });

  const getConvoForMembers = query({
    auth: 'access',
    note: ({ params }) => params.getAll('members').join(' '),
    run({ params, session: { did } }) {
      const other = otherOf(params, did);
      const found = chat.between(did, other);
      const refused = found === undefined ? refusal(did, other, undefined) : undefined;
      if (refused !== undefined) throw refused;
      const status = relations.link(other, 'follow', did) === undefined ? 'request' : 'accepted';
      const convo = found ?? store.write(() => chat.between(did, other) ?? chat.begin(did, other, status));
      return { json: { convo: views.convo(convo, did) } };
    },
  });

  const getConvoAvailability = query({
    auth: 'access',
    run({ params, session: { did } }) {
      const other = otherOf(params, did);
      const found = chat.between(did, other);
      const canChat = refusal(did, other, found) === undefined;
      return { json: { canChat, ...(found && { convo: views.convo(found, did) }) } };
    },
  });

  const { acceptConvo, leaveConvo, mute } = membershipMethods(world, views, rules);

  return Object.freeze({
    listConvos,
    getConvo,
    getConvoForMembers,
    getConvoAvailability,
    acceptConvo,
    leaveConvo,
    mute,
  });
}

function messageMethods(
  world: ChatWorld,
  views: ReturnType<typeof makeChatViews>,
  { own, messageIn, send }: ReturnType<typeof chatRules>,
) {
  const { chat, store } = world;

  const getMessages = query({
    auth: 'access',
    note: ({ params }) => params.get('convoId') ?? '',
    run({ params, session: { did } }) {
      const { convo, member } = own(required(params, 'convoId'), did);
      const limit = whole(params, 'limit', PAGE);
      const rows = chat.messages(convo.id, { above: member.left_rev, below: params.get('cursor') || TOP, limit });
      const last = rows.length === limit ? rows.at(-1) : undefined;
      return { json: { ...(last && { cursor: last.rev }), messages: rows.map((row) => views.message(row, did)) } };
    },
  });

  const sendMessage = procedure<Item>({
    check: object({ convoId, message: messageInput }),
    note,
    run: ({ input, session: { did } }) => ({
      json: views.message(
        store.write(() => send(did, input.convoId, input.message)),
        did,
      ),
    }),
  });

  const sendMessageBatch = procedure<{ items: Item[] }>({
    check: object({ items: list(object({ convoId, message: messageInput }), 100) }),
    note: ({ input }) => `${input.items.length} messages`,
    run({ input, session: { did } }) {
      const rows = store.write(() => input.items.map((item) => send(did, item.convoId, item.message)));
      return { json: { items: rows.map((row) => views.message(row, did)) } };
    },
  });

  const updateRead = procedure<InConvo & { messageId?: string }>({
    check: object({ convoId }, { messageId }),
    note,
    run({ input, session: { did } }) {
      const { convo, member } = own(input.convoId, did);
      const upTo = input.messageId === undefined ? chat.last(convo, member) : messageIn(input.messageId, convo, did);
      store.write(() => chat.read(member, upTo));
      return { json: { convo: views.convo(own(convo.id, did).convo, did) } };
    },
  });

  const updateAllRead = procedure<{ status?: string }>({
    check: object({}, { status: text() }),
    run({ input, session: { did } }) {
      const done = store.write(() =>
        chat.list(did, TOP, -1).filter((convo) => {
          const member = chat.member(convo.id, did);
          if (member === undefined || !isIn(member, input.status)) return false;
          return chat.read(member, chat.last(convo, member));
        }),
      );
      return { json: { updatedCount: done.length } };
    },
  });

  return Object.freeze({ getMessages, sendMessage, sendMessageBatch, updateRead, updateAllRead });
}

export function chatMethods(world: ChatWorld): Readonly<Record<string, Method>> {
  const { store, clock, chat, people } = world;
  const rules = chatRules(world);
  const { own, messageIn } = rules;
  const views = makeChatViews(chat, people, world.views);

  const { listConvos, getConvo, getConvoForMembers, getConvoAvailability, acceptConvo, leaveConvo, mute } =
    convoMethods(world, views, rules);

  const { getMessages, sendMessage, sendMessageBatch, updateRead, updateAllRead } = messageMethods(world, views, rules);

  const getLog = query({
    auth: 'access',
    note: ({ params }) => params.get('cursor') ?? '',
    run({ params, session: { did } }) {
      const cursor = params.get('cursor') || undefined;
      if (cursor !== undefined && !/^[2-7a-z]{13}$/.test(cursor)) throw invalid('Malformed cursor');
      // Without a cursor there are no entries, only a cursor from which to read later ones.
      const rows = cursor === undefined ? [] : chat.logs(did, cursor, LOG_PAGE);
      const next = rows.at(-1)?.rev ?? cursor ?? chat.end();
      return { json: { cursor: next, logs: rows.map((row) => views.log(row, did)) } };
    },
  });

  const react = (adds: boolean) =>
    procedure<OnMessage & { value: string }>({
      check: object({ convoId, messageId, value: text({ bytes: 64, graphemes: 1 }) }),
      note,
      run({ input, session: { did } }) {
        const { convo } = own(input.convoId, did);
        const row = messageIn(input.messageId, convo, did);
        const reaction = { message: row.id, person: did, value: input.value, at: clock.now() };
        if (!/\p{Extended_Pictographic}|\p{Regional_Indicator}/u.test(input.value))
          throw invalid('Reaction is not an emoji', 'ReactionInvalidValue');
        const others = chat.reactions(row.id).filter((one) => one.person === did && one.value !== input.value);
        if (adds && others.length >= MOST_REACTIONS) throw invalid('Too many reactions', 'ReactionLimitReached');
        store.write(() => chat.react(convo, reaction, adds));
        return { json: { message: views.message(row, did) } };
      },
    });

  const deleteMessageForSelf = procedure<OnMessage>({
    check: object({ convoId, messageId }),
    note,
    run({ input, session: { did } }) {
      const { convo } = own(input.convoId, did);
      const found = chat.message(input.messageId);
      if (found?.convo !== convo.id) throw invalid('Message not found');
      store.write(() => chat.hide(found, did));
      return { json: views.message(found, did) };
    },
  });

  return Object.freeze({
    'chat.bsky.convo.listConvos': listConvos,
    'chat.bsky.convo.getConvo': getConvo,
    'chat.bsky.convo.getConvoForMembers': getConvoForMembers,
    'chat.bsky.convo.getConvoAvailability': getConvoAvailability,
    'chat.bsky.convo.getMessages': getMessages,
    'chat.bsky.convo.sendMessage': sendMessage,
    'chat.bsky.convo.sendMessageBatch': sendMessageBatch,
    'chat.bsky.convo.updateRead': updateRead,
    'chat.bsky.convo.updateAllRead': updateAllRead,
    'chat.bsky.convo.getLog': getLog,
    'chat.bsky.convo.acceptConvo': acceptConvo,
    'chat.bsky.convo.leaveConvo': leaveConvo,
    'chat.bsky.convo.muteConvo': mute(true),
    'chat.bsky.convo.unmuteConvo': mute(false),
    'chat.bsky.convo.addReaction': react(true),
    'chat.bsky.convo.removeReaction': react(false),
    'chat.bsky.convo.deleteMessageForSelf': deleteMessageForSelf,
  });
}
