import { isoTime } from '#kernel/clock.ts';
import { drawConversation, drawOffers, drawContentWithAuthor } from '../../kit/drawing.ts';
import type { Html } from '../../html.ts';
import type { Offer, SandboxMessage } from '../../twin.ts';
import type { Chats } from '../../kit/chat/chats.ts';
import type { MessageRow } from '../../kit/chat/tables.ts';
import type { Content } from '../chat/views.ts';
import type { People } from '../../atproto/people.ts';

const SHOWN_MESSAGES = 8;

/** Conversations as the operator sees them: both sides, with nothing hidden. */
export function talks(chat: Chats, people: People, network: string) {
  const handle = (did: string) => people.byDid(did)?.handle ?? did;
  const textOf = ({ json }: MessageRow) => (JSON.parse(json) as Content).text;

  return Object.freeze({
    draw: (count: number, offer: Offer): readonly Html[] =>
      chat.newest(count).map((convo) => {
        const members = chat.membersOf(convo).flatMap((did) => chat.member(convo.id, did) ?? []);
        const rows = chat.messages(convo.id, { above: '', below: '~', limit: SHOWN_MESSAGES }).toReversed();
        const [one = '', other = ''] = members.map(({ person }) => person);
        return drawConversation({
          title: members.map(({ person }) => handle(person)).join(' – '),
          badges: [convo.locked === 1 && 'locked'],
          messages: rows.map((row) =>
            drawContentWithAuthor({ author: handle(row.sender), text: textOf(row), at: row.sent_at }),
          ),
          note: members
            .map(({ person, status, read_rev }) => {
              const state = status === 'request' ? 'a request' : status;
              return `${handle(person)}: ${state}, ${chat.unread(convo.id, person, read_rev)} unread`;
            })
            .join('; '),
          offers: drawOffers(offer, {}, {}, [
            ['message', { person: one, whom: other }, `Write as ${handle(one)}`],
            ['message', { person: other, whom: one }, `Write as ${handle(other)}`],
          ]),
        });
      }),
    messages: (): readonly SandboxMessage[] =>
      chat.everyMessage().flatMap((row) => {
        const convo = chat.find(row.convo);
        const other = convo && chat.membersOf(convo).find((did) => did !== row.sender);
        return other === undefined
          ? []
          : [
              {
                network,
                conversation: row.convo,
                id: row.id,
                from: handle(row.sender),
                to: handle(other),
                text: textOf(row),
                at: isoTime(row.sent_at),
              },
            ];
      }),
  });
}
