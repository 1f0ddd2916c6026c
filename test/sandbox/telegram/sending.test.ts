/** What bots say to the simulator of Telegram, and how it refuses. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { png } from '../../harness/media-samples.ts';
import { BOT, CHANNEL, FRED, MIA, openTelegramWorld, type TelegramWorld } from '../../harness/worlds/twins/telegram.ts';

let world: TelegramWorld;
beforeEach(async () => {
  world = await openTelegramWorld();
});
afterEach(() => world.close());

const bad = (why: string) => [400, `Bad Request: ${why}`];
const post = (more: object = {}) => world.call('sendMessage', { chat_id: CHANNEL, text: 'Rye', ...more });

describe('a text', () => {
  it('is refused as the Bot API refuses it', async () => {
    const inline = (...row: unknown[]) => ({ reply_markup: { inline_keyboard: [row] } });
    const cases: [object, string][] = [
      [{ chat_id: undefined }, 'chat_id is empty'],
      [{ chat_id: '@nobody_here' }, 'chat not found'],
      [{ chat_id: 'x' }, 'chat not found'],
      [{ chat_id: '-5' }, 'chat not found'],
      [{ chat_id: 5 }, 'chat not found'],
      [{ text: undefined }, 'message text is empty'],
      [{ text: ' \n' }, 'message text is empty'],
      [{ text: 'a'.repeat(4097) }, 'message is too long'],
      [{ parse_mode: 'Pidgin' }, 'unsupported parse_mode'],
      [{ reply_parameters: { message_id: 99 } }, 'message to be replied not found'],
      [{ reply_to_message_id: 'x' }, 'invalid reply_to_message_id specified'],
      [
        { reply_markup: { inline_keyboard: 5 } },
        'field "inline_keyboard" of the InlineKeyboardMarkup must be an Array',
      ],
      [inline(5), "can't parse inline keyboard button: InlineKeyboardButton must be an Object"],
      [inline({}), 'can\'t parse inline keyboard button: Field "text" must be non-empty'],
      [inline({ text: '' }), 'can\'t parse inline keyboard button: Field "text" must be non-empty'],
      [inline({ text: 'x' }), "can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard"],
      [inline({ text: 'x', callback_data: '' }), 'BUTTON_DATA_INVALID'],
      [inline({ text: 'x', callback_data: 'x'.repeat(65) }), 'BUTTON_DATA_INVALID'],
      [inline({ text: 'x', callback_data: 5 }), 'BUTTON_DATA_INVALID'],
      [inline({ text: 'x', url: 'nowhere' }), 'inline keyboard button URL is invalid: Wrong HTTP URL'],
      [{ reply_markup: 5 }, 'reply_markup is not an object'],
    ];
    for (const [more, why] of cases) expect([more, await post(more)]).toEqual([more, bad(why)]);
    expect(await post({ chat_id: MIA.length, text: 'x' })).toEqual(bad('chat not found'));
  });

  it('has the entities that it is given, those of HTML, and those that are found', async () => {
    const html = async (text: string) => {
      const got = await post({ text, parse_mode: 'HTML' });
      return Array.isArray(got) ? got[1].replace("Bad Request: can't parse entities: ", '') : [got.text, got.entities];
    };
    expect(await html('<b>a<i>b</i></b> &lt;&amp;&#65;&#x42;')).toEqual([
      'ab <&AB',
      [
        { type: 'bold', offset: 0, length: 2 },
        { type: 'italic', offset: 1, length: 1 },
      ],
    ]);
    const tags = 'strong em u ins s strike del code pre blockquote tg-spoiler'.split(' ');
    const kinds =
      'bold italic underline underline strikethrough strikethrough strikethrough code pre blockquote spoiler';
    const [, all] = (await html(tags.map((tag) => `<${tag}>x</${tag}>`).join(' '))) as [string, any[]];
    expect(all.map(({ type }) => type).join(' ')).toBe(kinds);
    expect(await html('<span class="tg-spoiler">x</span> <a href=\'https://a.example/\'>y</a> <a>z</a>')).toEqual([
      'x y z',
      [
        { type: 'spoiler', offset: 0, length: 1 },
        { type: 'text_link', offset: 2, length: 1, url: 'https://a.example/' },
      ],
    ]);
    expect(await html('é <b>open')).toBe('Can\'t find end tag corresponding to start tag "b"');
    expect(await html('é <x>a</x>')).toBe('Unsupported start tag "x" at byte offset 3');
    expect(await html('é </b>')).toBe('Unexpected end tag at byte offset 3');
    expect(await html('<b>é</i>')).toBe('Unmatched end tag at byte offset 5, expected "</b>", found "</i>"');
    expect(await html('a<br/>b')).toBe('Unsupported start tag "br/" at byte offset 1');
    expect(await html('<span class="red">a</span>')).toBe('Tag "span" must have class "tg-spoiler" at byte offset 0');
    const noSign = 'Expected equal sign in declaration of an attribute of the tag "i" at byte offset 0';
    expect(await html('<i x>a</i>')).toBe(noSign);
    expect(await html('<tg-emoji>a</tg-emoji>')).toBe('Invalid custom emoji identifier specified');
    const unread = '<blockquote expandable>a</blockquote><tg-emoji emoji-id="5">b</tg-emoji>';
    expect(await html(unread)).toEqual(['ab', [{ type: 'blockquote', offset: 0, length: 1 }]]);
    expect(await html('1 < 2')).toBe('Unclosed start tag at byte offset 2');
    expect(await html('a & b &nbsp; &')).toEqual(['a & b &nbsp; &', undefined]);
    expect(await html('a &#0; &#9999999;')).toEqual(['a &#0; &#9999999;', undefined]);
    const given = [{ type: 'bold', offset: 0, length: 3 }];
    expect((await post({ entities: given })).entities).toEqual(given);
    const found = await post({ text: '@some_one #rye /go@some_bot me@a.example https://a.example/x, 😀 #2' });
    expect(found.entities).toEqual([
      { type: 'mention', offset: 0, length: 9 },
      { type: 'hashtag', offset: 10, length: 4 },
      { type: 'bot_command', offset: 15, length: 12 },
      { type: 'email', offset: 28, length: 12 },
      { type: 'url', offset: 41, length: 19 },
    ]);
  });

  it('is refused in one reading however long it is', async () => {
    const marks = ['<', '<a ', '<a"', `<a "'`, '<a b=', '&#', '@', 'a', '_', '[', '*a*', '\\*'];
    for (const mark of marks) {
      for (const parse_mode of ['HTML', 'MarkdownV2', undefined]) {
        const [status] = await post({ text: mark.repeat(20_000), parse_mode });
        expect([mark, parse_mode, status]).toEqual([mark, parse_mode, 400]);
      }
    }
  });

  it('has the entities of MarkdownV2', async () => {
    const markdown = async (text: string) => {
      const got = await post({ text, parse_mode: 'MarkdownV2' });
      return Array.isArray(got) ? got[1].replace("Bad Request: can't parse entities: ", '') : [got.text, got.entities];
    };
    const [text, entities] = await markdown('*b* _i_ __u__ ~s~ ||p|| `c.` ```e``` [l](https://a.example/) \\.');
    expect(text).toBe('b i u s p c. e l .');
    expect(entities.map(({ type }: any) => type).join(' ')).toBe(
      'bold italic underline strikethrough spoiler code pre text_link',
    );
    expect(entities.at(-1)).toEqual({ type: 'text_link', offset: 15, length: 1, url: 'https://a.example/' });
    expect(await markdown('*a _b_*')).toEqual([
      'a b',
      [
        { type: 'bold', offset: 0, length: 3 },
        { type: 'italic', offset: 2, length: 1 },
      ],
    ]);
    expect(await markdown('a.b')).toBe("Character '.' is reserved and must be escaped with the preceding '\\'");
    expect(await markdown('é *a')).toBe("Can't find end of bold entity at byte offset 3");
    expect(await markdown('[a')).toBe("Can't find end of text_link entity at byte offset 0");
  });

  it('answers another one, in the thread of the post where it is in a discussion group', async () => {
    const { id } = await world.chat('Harbour Coffee chat');
    const chat_id = Number(id);
    const first = await world.call('sendMessage', { chat_id, text: 'One' });
    const second = await world.call('sendMessage', {
      chat_id,
      text: 'Two',
      reply_parameters: { message_id: first.message_id },
    });
    expect(second).toMatchObject({
      message_thread_id: first.message_id,
      reply_to_message: { message_id: first.message_id, text: 'One' },
    });
    const third = await world.call('sendMessage', { chat_id, text: 'Three', reply_to_message_id: second.message_id });
    expect(third.message_thread_id).toBe(first.message_id);
    expect(third.reply_to_message.reply_to_message).toBeUndefined();
    expect(await post({ reply_parameters: { message_id: 99, allow_sending_without_reply: true } })).not.toHaveProperty(
      'reply_to_message',
    );
    expect(
      await post({ reply_to_message_id: 99, allow_sending_without_reply: true, message_thread_id: 4 }),
    ).not.toHaveProperty('message_thread_id');
    expect(await post({ message_thread_id: 4 })).toMatchObject({ message_thread_id: 4 });
  });

  it('goes to who has begun, and to places where the bot may speak', async () => {
    const fred = await world.started(FRED, 'spring');
    expect((await world.call('sendMessage', { chat_id: fred, text: 'Hi' })).chat).toMatchObject({
      id: fred,
      type: 'private',
      first_name: 'Fred',
      last_name: 'Follower',
    });
    const initiate = [403, "Forbidden: bot can't initiate conversation with a user"];
    expect(await world.call('sendMessage', { chat_id: fred, text: 'Hi' }, world.other)).toEqual(initiate);
    const toBot = [403, "Forbidden: bot can't send messages to bots"];
    expect(await world.call('sendMessage', { chat_id: Number(world.other.split(':')[0]), text: 'Hi' })).toEqual(toBot);
    await world.act('block', { person: FRED, bot: BOT });
    const blocked = [403, 'Forbidden: bot was blocked by the user'];
    expect(await world.call('sendMessage', { chat_id: fred, text: 'Hi' })).toEqual(blocked);
    expect(await world.call('sendChatAction', { chat_id: fred, action: 'typing' })).toEqual(blocked);
    const [change] = await world.updates();
    expect(change.my_chat_member).toMatchObject({
      chat: { id: fred },
      old_chat_member: { status: 'member' },
      new_chat_member: { status: 'kicked', until_date: 0 },
    });
    await world.act('unblock', { person: FRED, bot: BOT });
    expect((await world.updates())[0].my_chat_member.new_chat_member.status).toBe('member');
    expect(await world.call('sendChatAction', { chat_id: fred, action: 'typing' })).toBe(true);
    expect(await world.call('sendChatAction', { chat_id: fred })).toEqual(bad('action is missing'));

    const { id: channel } = await world.chat('Harbour Coffee');
    const { id: group } = await world.chat('Harbour Coffee crew');
    const to = (chat_id: string) => world.call('sendMessage', { chat_id, text: 'Hi' });
    for (const [chat, kind] of [
      [channel, 'channel'],
      [group, 'group'],
    ] as const) {
      expect(await world.call('sendMessage', { chat_id: chat, text: 'Hi' }, world.other)).toEqual([
        403,
        `Forbidden: bot is not a member of the ${kind} chat`,
      ]);
      await world.act('remove_bot', { bot: BOT, chat });
      expect(await to(chat)).toEqual([403, `Forbidden: bot was kicked from the ${kind} chat`]);
      await world.act('admit', { bot: BOT, chat, member: true });
    }
    expect(await to(channel)).toEqual(bad('need administrator rights in the channel chat'));
    expect(await to(group)).toMatchObject({ text: 'Hi' });
    await world.act('admit', { bot: BOT, chat: channel });
    expect(await to(channel)).toMatchObject({ text: 'Hi' });
    await world.act('migrate', { chat: group });
    const [code, why, { migrate_to_chat_id }] = await to(group);
    expect([code, why]).toEqual(bad('group chat was upgraded to a supergroup chat'));
    expect((await to(String(migrate_to_chat_id))).chat.type).toBe('supergroup');
    await expect(world.act('migrate', { chat: group })).rejects.toThrow('Only a basic group migrates.');
  });
});

describe('a file', () => {
  it('comes inside the call, by its address or by its id, and is read back', async () => {
    const photo = await world.upload('sendPhoto', { chat_id: CHANNEL, caption: 'A *rye*' }, { photo: png(30, 20) });
    expect(photo).toMatchObject({
      caption: 'A *rye*',
      photo: [
        { width: 8, height: 5 },
        { width: 30, height: 20 },
      ],
    });
    const { file_id, file_size } = photo.photo.at(-1);
    expect((await world.call('sendPhoto', { chat_id: CHANNEL, photo: file_id })).photo).toEqual(photo.photo);
    const url = world.app.put('b.png', png(3, 2));
    expect((await world.call('sendPhoto', { chat_id: CHANNEL, photo: url })).photo.at(-1)).toMatchObject({ width: 3 });
    const file = await world.call('getFile', { file_id });
    expect(file).toMatchObject({ file_id, file_size, file_path: expect.stringMatching(/^photos\/file_\w+\.png$/) });
    const read = async (token: string, path: string) =>
      (await world.ask(`${world.at}/api/file/bot${token}/${path}`)).status;
    expect(await read(world.token, file.file_path)).toBe(200);
    expect(await read(world.token, `videos/${file.file_path.slice(7)}`)).toBe(404);
    expect(await read(`${world.bot}:${'x'.repeat(35)}`, file.file_path)).toBe(401);
    const kinds: [string, Uint8Array, object][] = [
      ['document', Buffer.from('%PDF-1.4'), { document: { file_name: 'document', file_size: 8 } }],
      ['audio', Buffer.from('ID3'), { audio: { duration: 3 } }],
      ['voice', Buffer.from('OggS'), { voice: { duration: 3 } }],
      ['animation', Buffer.from('GIF89a'), { animation: { width: 4 }, document: {} }],
      ['video', Buffer.from('film'), { video: { width: 4, height: 5, duration: 3 } }],
    ];
    for (const [kind, bytes, shown] of kinds)
      expect(
        await world.upload(
          `send${kind[0]!.toUpperCase()}${kind.slice(1)}`,
          { chat_id: CHANNEL, width: '4', height: '5', duration: '3' },
          { [kind]: bytes },
        ),
      ).toMatchObject(shown);
  });

  it('is refused as the Bot API refuses it', async () => {
    const photo = (value: unknown, more: object = {}) =>
      world.call('sendPhoto', { chat_id: CHANNEL, photo: value, ...more });
    expect(await photo(undefined)).toEqual(bad('there is no photo in the request'));
    expect(await photo('')).toEqual(bad('there is no photo in the request'));
    const wrong = bad('wrong file identifier/HTTP URL specified');
    for (const value of ['x', 'attach://gone']) expect(await photo(value)).toEqual(wrong);
    expect(await photo(`${world.app.url}/gone`)).toEqual(bad('failed to get HTTP URL content'));
    expect(await photo(world.app.put('a.txt', Buffer.from('text')))).toEqual(bad('IMAGE_PROCESS_FAILED'));
    expect(await photo(world.app.put('w.png', png(50, 1)))).toEqual(bad('PHOTO_INVALID_DIMENSIONS'));
    expect(await photo(world.app.put('a.png', png()), { caption: 'x'.repeat(1025) })).toEqual(
      bad('message caption is too long'),
    );
    expect(await world.upload('sendPhoto', { chat_id: CHANNEL }, { photo: new Uint8Array() })).toEqual(
      bad('file must be non-empty'),
    );
    const video = { chat_id: CHANNEL, video: world.app.put('c.png', png()) };
    expect(await world.call('sendVideo', video)).toEqual(bad('type of file mismatch'));
    expect(await world.call('getFile', { file_id: 'x' })).toEqual(
      bad('wrong file_id or the file is temporarily unavailable'),
    );
    expect(await world.call('getFile')).toEqual(bad('file_id is missing'));
  });

  it('may be one of an album', async () => {
    const url = (name: string) => world.app.put(name, png());
    const album = (media: unknown) => world.call('sendMediaGroup', { chat_id: CHANNEL, media });
    const items = [
      { type: 'photo', media: url('1.png'), caption: '<b>Two</b>', parse_mode: 'HTML' },
      { type: 'photo', media: url('2.png') },
    ];
    const sent = await album(items);
    expect(new Set(sent.map((one: any) => one.media_group_id)).size).toBe(1);
    expect(sent[0]).toMatchObject({ caption: 'Two', caption_entities: [{ type: 'bold' }] });
    const number = bad('wrong number of media in the album: expected 2-10');
    for (const media of [undefined, [], items.slice(1), Array.from({ length: 11 }, () => items[1])])
      expect(await album(media)).toEqual(number);
    expect(await album([items[0], { type: 'audio', media: url('3') }])).toEqual(
      bad("document and audio can't be mixed with other media types"),
    );
    expect(await album([{ type: 'song' }, { type: 'song' }])).toEqual(
      bad('can\'t parse InputMedia: type "song" is unsupported'),
    );
    expect(await album([{ ...items[0], caption: 'x'.repeat(1025) }, items[1]])).toEqual(
      bad('message caption is too long'),
    );
    const form = { chat_id: CHANNEL, media: JSON.stringify([{ type: 'photo', media: 'attach://a' }, items[1]]) };
    expect(await world.upload('sendMediaGroup', form, { a: png() })).toHaveLength(2);
  });
});

describe('what was said', () => {
  it('is deleted, one by one or many at once, for two days', async () => {
    const fred = await world.started();
    const say = async () => (await world.call('sendMessage', { chat_id: fred, text: 'Hi' })).message_id;
    const drop = (message_id: unknown) => world.call('deleteMessage', { chat_id: fred, message_id });
    const first = await say();
    expect(await drop(first)).toBe(true);
    for (const gone of [first, undefined, 999]) expect(await drop(gone)).toEqual(bad('message to delete not found'));
    const many = [await say(), await say()];
    expect(await world.call('deleteMessages', { chat_id: fred, message_ids: [...many, 999] })).toBe(true);
    expect(await drop(many[0])).toEqual(bad('message to delete not found'));
    const none = bad('message identifiers are not specified');
    for (const message_ids of [undefined, [], Array.from({ length: 101 }, () => 1)])
      expect(await world.call('deleteMessages', { chat_id: fred, message_ids })).toEqual(none);
    const old = await say();
    world.clock.move(49 * 3_600_000);
    expect(await drop(old)).toEqual(bad("message can't be deleted"));
    const mine = await post();
    world.clock.move(49 * 3_600_000);
    expect(await world.call('deleteMessage', { chat_id: CHANNEL, message_id: mine.message_id })).toBe(true);
  });

  it('is reacted to with one of the emoji there are', async () => {
    const { message_id } = await post();
    const react = (reaction: unknown, id: unknown = message_id) =>
      world.call('setMessageReaction', { chat_id: CHANNEL, message_id: id, reaction });
    const emoji = (value: string) => ({ type: 'emoji', emoji: value });
    expect(await react([emoji('👍')])).toBe(true);
    expect(await react([emoji('❤️')])).toBe(true);
    expect((await world.list('messages'))[0].reactions).toEqual({ [world.bot]: '❤️' });
    expect(await react([])).toBe(true);
    expect((await world.list('messages'))[0].reactions).toEqual({});
    expect(await react([emoji('🧱')])).toEqual(bad('REACTION_INVALID'));
    expect(await react([5])).toEqual(bad('REACTION_INVALID'));
    expect(await react([emoji('👍'), emoji('🔥')])).toEqual(bad('REACTIONS_TOO_MANY'));
    expect(await react([], 999)).toEqual(bad('message to react not found'));
  });
});
