import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ABOUT, KINDS } from '#platforms/telegram/inbound/content.ts';
import { MOVES, NOTICES } from '#platforms/telegram/inbound/notices.ts';
import { telegram } from '#platforms/telegram/index.ts';
import { NOW } from '../../harness/platforms/script.ts';
import { documentedInbound } from '../conformance/checks/inbound.ts';

const SECONDS = NOW / 1000;
const ANN = { id: 555, is_bot: false, first_name: 'Ann', last_name: 'Ale', username: 'ann' };
const CHAT = { ...ANN, type: 'private' };
const GROUP = { id: -42, type: 'group', title: 'Crew' };
const TALK = { id: -1009876, type: 'supergroup', title: 'Talk' };
const metadata = { bot_id: '123456789', channel_id: '-1001234', group_id: String(TALK.id) };
const BOT = { id: 123456789, is_bot: true, first_name: 'Baker' };
const PIER = { latitude: 1, longitude: 2 };

const read = (update: object): readonly any[] =>
  telegram
    .push!.read({ path: '', headers: {}, body: Buffer.from(JSON.stringify({ update_id: 1, ...update })), metadata })
    .map(({ event }) => event);
const said = (more: object) => ({ message_id: 9, date: SECONDS, chat: CHAT, from: ANN, ...more });
const saidOnce = (more: object) => {
  const [{ message }, ...others] = read({ message: said(more) });
  expect(others).toEqual([]);
  return message;
};

/** The members that a published type gives a message. */
function membersOfMessage(): readonly string[] {
  const file = new URL('../../../node_modules/@grammyjs/types/message.d.ts', import.meta.url);
  const text = readFileSync(file, 'utf8');
  const names = ['ServiceMessage', 'CommonMessage', 'CaptionableMessage', 'MediaMessage', 'Message'];
  return names.flatMap((name) => {
    const shape = new RegExp(`^( *)(?:export )?interface ${name} .*\\{\\n([\\s\\S]*?)^\\1\\}`, 'm').exec(text)!;
    return [...shape[2]!.matchAll(/^ +(\w+)\??: /gm)].map(([, member]) => member!);
  });
}

describe('the members of a message', () => {
  const known = [...Object.keys(KINDS), ...NOTICES.keys(), ...MOVES, ...ABOUT];

  it('are all read: each as something said, as a notice, or as what is about it', () => {
    const published = membersOfMessage();
    expect(published.length).toBeGreaterThan(100);
    expect(known.toSorted()).toEqual(published.toSorted());
  });

  it('are documented, all that make a message or a notice', () => {
    const documented = documentedInbound('Telegram');
    for (const name of Object.keys(KINDS)) expect([name, documented[name]]).toEqual([name, 'message']);
    for (const name of NOTICES.keys()) expect([name, documented[name]]).toEqual([name, 'notice']);
  });
});

describe('a message', () => {
  const cell = (text: string) => ({ text, align: 'left', valign: 'top' });

  it.each([
    [{ location: PIER }, 'Shared a location: 1, 2', { location: PIER }],
    [
      { location: PIER, venue: { location: PIER, title: 'Pier', address: 'Quay 4' } },
      'Shared a location: Pier, Quay 4',
      { location: { ...PIER, name: 'Pier', address: 'Quay 4' } },
    ],
    [
      { contact: { phone_number: '+1', first_name: '' } },
      'Shared a contact: +1',
      { contacts: [{ phone_number: '+1', first_name: '' }] },
    ],
    [
      { poll: { question: 'Rye?', options: [{ text: 'Yes' }, { text: 'No' }] } },
      'Sent a poll: Rye?',
      { poll: { question: 'Rye?', options: ['Yes', 'No'] } },
    ],
    [{ dice: { emoji: '🎯', value: 6 } }, 'Rolled 🎯: 6', { dice: { emoji: '🎯', value: 6 } }],
    [
      { successful_payment: { currency: 'XTR', total_amount: 5 } },
      'Paid 5 stars',
      { successful_payment: { currency: 'XTR', total_amount: 5 } },
    ],
    [
      { successful_payment: { currency: 'JPY', total_amount: 500 } },
      'Paid 500 JPY',
      { successful_payment: { currency: 'JPY', total_amount: 500 } },
    ],
    [
      { rich_message: { blocks: [{ type: 'table', cells: [[cell('a'), cell('b')], [cell('c')]] }] } },
      'ab\nc',
      { links: undefined },
    ],
    [
      { hologram: {}, chat_shared: 'odd' },
      'Sent something that cannot be shown here (hologram)',
      { unsupported: { type: 'hologram' } },
    ],
    [{}, 'Sent something that cannot be shown here', { unsupported: { type: 'unknown' } }],
  ])('says what it is %#', (given, text, data) => {
    expect(saidOnce(given)).toMatchObject({ text, attachments: [], metadata: data });
  });

  it('keeps the addresses behind its words, and the story that it answers', () => {
    const link = { type: 'text_link', offset: 3, length: 4, url: 'https://a.example/menu?x=1' };
    const links = [{ text: 'here', url: link.url }];
    const bold = { type: 'bold', offset: 0, length: 2 };
    expect(saidOnce({ text: '🥖 here', entities: [bold, link] }).metadata).toEqual({ links });
    expect(saidOnce({ caption: '🥖 here', caption_entities: [link], photo: [{ file_id: 'F' }] })).toMatchObject({
      attachments: [{ type: 'image', ref: 'F' }],
      metadata: { links },
    });
    const story = { chat: GROUP, id: 3 };
    expect(saidOnce({ text: 'Nice', reply_to_story: story })).toMatchObject({ text: 'Nice', metadata: { story } });
    const blocks = [{ type: 'paragraph', text: ['🥖 ', { type: 'url', text: 'here', url: link.url }] }];
    expect(saidOnce({ rich_message: { blocks } })).toMatchObject({ text: '🥖 here', metadata: { links } });
  });

  it('carries what can be seen of paid media and live photos', () => {
    const photo = [{ file_id: 'small' }, { file_id: 'P' }];
    const paid_media = [{ type: 'photo', photo }, { type: 'preview' }, { type: 'video', video: { file_id: 'V' } }];
    const attachments = [
      { type: 'image', ref: 'P' },
      { type: 'video', ref: 'V' },
    ];
    expect(saidOnce({ paid_media: { star_count: 5, paid_media } })).toMatchObject({
      text: '',
      attachments,
      metadata: { paid_media: { star_count: 5, count: 3 } },
    });
    expect(saidOnce({ photo, live_photo: { file_id: 'V', photo } })).toMatchObject({ text: '', attachments });
  });
});

describe('an edit', () => {
  const edit = (more: object) => read({ edited_message: said({ edit_date: SECONDS + 60, ...more }) });
  const edited = { kind: 'message_edited', platform_id: '555:9', at: NOW + 60_000 };

  it('says what the message says now', () => {
    expect(edit({ text: 'Better' })).toEqual([
      { ...edited, content: { text: 'Better', attachments: [], metadata: { links: undefined } } },
    ]);
    expect(edit({ caption: 'Better', photo: [{ file_id: 'F' }] })).toMatchObject([
      { ...edited, content: { text: 'Better', attachments: [{ type: 'image', ref: 'F' }] } },
    ]);
    expect(edit({ location: PIER })).toMatchObject([{ ...edited, content: { metadata: { location: PIER } } }]);
    expect(edit({ text: 'Better', chat: GROUP })).toMatchObject([{ ...edited, platform_id: '-42:9' }]);
    expect(edit({ text: 'Better', chat: GROUP, from: BOT })).toEqual([]);
  });
});

describe('a reaction', () => {
  const react = (chat: object, new_reaction: readonly object[], more: object = { user: ANN }) =>
    read({ message_reaction: { chat, message_id: 9, date: SECONDS, old_reaction: [], new_reaction, ...more } });
  const reaction = { kind: 'reaction', direction: 'incoming', at: NOW };

  it('stands on its message, by whoever reacts', () => {
    const by = { id: '555', name: 'Ann Ale' };
    const thumb = { type: 'emoji', emoji: '👍' };
    expect(react(CHAT, [thumb])).toMatchObject([
      { ...reaction, conversation: '555', message: '555:9', by, emojis: ['👍'] },
    ]);
    expect(react(CHAT, [])).toMatchObject([{ ...reaction, emojis: [] }]);
    expect(react(GROUP, [{ type: 'paid' }, { type: 'custom_emoji', custom_emoji_id: '7' }])).toMatchObject([
      { ...reaction, conversation: '-42', by, emojis: ['⭐', 'custom_emoji:7'] },
    ]);
    expect(react(GROUP, [thumb], { actor_chat: GROUP })).toMatchObject([{ by: { id: '-42', name: 'Crew' } }]);
    // Comments are no messages.
    expect(react(TALK, [thumb])).toEqual([]);
  });
});

describe('a service message', () => {
  const notice = (more: object) => read({ message: said({ chat: GROUP, ...more }) });

  it('is a notice, whoever made it', () => {
    expect(notice({ new_chat_members: [{ id: 7, first_name: 'Bo' }, ANN] })).toEqual([
      {
        kind: 'notice',
        conversation: '-42',
        platform_id: '-42:9',
        text: 'Bo, Ann Ale joined',
        notice: { type: 'new_chat_members', names: ['Bo', 'Ann Ale'] },
        at: NOW,
      },
    ]);
    expect(notice({ left_chat_member: { id: 7, first_name: 'Bo' } })).toMatchObject([{ text: 'Bo left' }]);
    expect(notice({ new_chat_title: 'Bakers' })).toMatchObject([{ text: 'Ann Ale renamed the chat: Bakers' }]);
    expect(notice({ pinned_message: {}, from: BOT })).toMatchObject([{ text: 'Baker pinned a message' }]);
    expect(notice({ delete_chat_photo: true, from: undefined })).toMatchObject([
      { text: 'Somebody removed the picture of the chat' },
    ]);
  });

  it('is nothing below posts, and when it is changed', () => {
    const pinned = { pinned_message: {}, message_thread_id: 70 };
    expect(read({ message: said({ chat: TALK, ...pinned }) })).toEqual([]);
    expect(read({ edited_message: said({ chat: GROUP, ...pinned }) })).toEqual([]);
    expect(notice({ migrate_from_chat_id: -7 })).toEqual([]);
  });
});

describe('a comment', () => {
  const commented = (more: object) => {
    const events = read({ message: said({ chat: TALK, message_thread_id: 70, ...more }) });
    expect(events).toMatchObject([{ kind: 'comment' }]);
    return events[0].comment;
  };

  it.each([
    [{ photo: [{ file_id: 'F' }] }, 'Sent a picture', { attachments: [{ type: 'image' }] }],
    [
      { sticker: { file_id: 'F', emoji: '😀' } },
      'Sent a sticker: 😀',
      { sticker: { emoji: '😀' }, attachments: [{ type: 'image' }] },
    ],
    [{ location: PIER }, 'Shared a location: 1, 2', { location: PIER }],
    [{ caption: 'Look', video: { file_id: 'F' } }, 'Look', { attachments: [{ type: 'video' }] }],
  ])('without words says what it is %#', (given, text, data) => {
    expect(commented(given)).toMatchObject({ text, media: [], metadata: data });
  });
});
