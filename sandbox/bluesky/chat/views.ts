import { isoTime } from '#kernel/clock.ts';
import type { Chats } from '../../kit/chat/chats.ts';
import type { ConvoRow, LogRow, MessageRow, ReactionRow } from '../../kit/chat/tables.ts';
import type { People } from '../../atproto/people.ts';
import type { Views } from '../reading/views.ts';

const DEFS = 'chat.bsky.convo.defs';

export type Content = Readonly<{ text: string; facets?: unknown; embed?: unknown; replyTo?: { messageId: string } }>;

export function makeChatViews(chat: Chats, people: People, views: Views) {
  const reaction = ({ value, person, at }: ReactionRow) => ({
    value,
    sender: { did: person },
    createdAt: isoTime(at),
  });

  function message(row: MessageRow, viewer: string): object {
    const base = { id: row.id, rev: row.rev, sender: { did: row.sender }, sentAt: isoTime(row.sent_at) };
    if (chat.isHidden(row.id, viewer)) return { $type: `${DEFS}#deletedMessageView`, ...base };
    const { text, facets, embed, replyTo } = JSON.parse(row.json) as Content;
    const view = views.embedView(row.sender, embed);
    const answered = replyTo && chat.message(replyTo.messageId);
    return {
      $type: `${DEFS}#messageView`,
      ...base,
      text,
      ...(facets !== undefined && { facets }),
      ...(view && { embed: view }),
      // Show one level only, without what the replied-to message replies to.
      ...(answered && { replyTo: message({ ...answered, json: JSON.stringify({ text: textOf(answered) }) }, viewer) }),
      reactions: chat.reactions(row.id).map(reaction),
    };
  }
  const textOf = (row: MessageRow) => (JSON.parse(row.json) as Content).text;

  function member(did: string): object[] {
    const person = people.byDid(did);
    return person === undefined
      ? []
      : [
          {
            ...views.profileBasic(person),
            chatDisabled: false,
            kind: { $type: 'chat.bsky.actor.defs#directConvoMember' },
          },
        ];
  }

  return Object.freeze({
    message,
    reaction,
    textOf,
    convo(row: ConvoRow, viewer: string): object {
      const own = chat.member(row.id, viewer);
      const [last] = chat.messages(row.id, { above: own?.left_rev ?? '', below: '~', limit: 1 });
      const read = [own?.read_rev ?? '', own?.left_rev ?? ''].toSorted().at(-1) ?? '';
      return {
        id: row.id,
        rev: row.rev,
        members: chat.membersOf(row).flatMap(member),
        ...(last && { lastMessage: message(last, viewer) }),
        muted: own?.muted === 1,
        status: own?.status ?? 'accepted',
        unreadCount: chat.unread(row.id, viewer, read),
        kind: { $type: `${DEFS}#directConvo` },
      };
    },
    log(row: LogRow, viewer: string): object {
      const about = row.message === null ? undefined : chat.message(row.message);
      return {
        $type: `${DEFS}#${row.type}`,
        rev: row.rev,
        convoId: row.convo,
        ...(about && { message: message(about, viewer) }),
        ...(row.reaction !== null && { reaction: reaction(JSON.parse(row.reaction) as ReactionRow) }),
      };
    },
  });
}
