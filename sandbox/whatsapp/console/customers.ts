import { tableOf } from '#kernel/text/table.ts';
import { PageError } from '../../forms.ts';
import { flag, long, maybe, maybeOne, oneOf, optional, text, there, type Acts } from '../../kit/acts.ts';
import type { Blob } from '../../kit/files.ts';
import { seconds } from '../../kit/ids.ts';
import type { Bubble } from '../docs.ts';
import type { World } from '../world.ts';
import type { ActionFields, Parts } from './action-fields.ts';

/** Content that customers can send but that our contract does not define. */
const SHARED: ReadonlyMap<string, readonly [content: unknown, text: string]> = tableOf({
  location: [{ latitude: 52.52, longitude: 13.405, name: 'Harbour', address: 'Quay 1' }, 'Harbour'],
  contacts: [
    [{ name: { formatted_name: 'Fay Friend', first_name: 'Fay' }, phones: [{ phone: '+12025550199' }] }],
    'Fay Friend',
  ],
  order: [
    {
      catalog_id: '1',
      product_items: [{ product_retailer_id: 'p1', quantity: '1', item_price: '5', currency: 'USD' }],
    },
    'An order',
  ],
  unsupported: [{ type: 'video_note' }, 'Something the API cannot carry'],
  unknown: [undefined, 'Something the API does not know'],
  ephemeral: [undefined, 'Something that disappears'],
  interactive: [{ type: 'call_permission_reply', call_permission_reply: { response: 'accept' } }, 'Yes, you may call'],
  request_welcome: [undefined, 'Opened the chat'],
  system: [
    { body: 'The security code of this person has changed', type: 'user_identity_changed' },
    'A new security code',
  ],
});
/** Types of which the API reports only that something arrived. */
const UNREADABLE: ReadonlySet<string> = new Set(['unsupported', 'unknown', 'ephemeral']);
const UNSUPPORTED = {
  code: 131051,
  title: 'Message type unknown',
  error_data: { details: 'Message type is currently not supported.' },
};

function fileDraft(
  { mime, name }: Blob,
  media: { id: string; sha256: string },
  form: string | undefined,
  voice: boolean,
) {
  const type = mime === 'image/webp' ? 'sticker' : (/^(image|audio|video)\//.exec(mime)?.[1] ?? 'document');
  const isCaptioned = form !== undefined && type !== 'audio' && type !== 'sticker';
  const content = {
    id: media.id,
    mime_type: mime,
    sha256: Buffer.from(media.sha256, 'hex').toString('base64'),
    ...(isCaptioned && { caption: form }),
    ...(type === 'document' && { filename: name }),
    ...(type === 'audio' && { voice }),
    ...(type === 'sticker' && { animated: false }),
  };
  return { type, content, text: isCaptioned ? form : '', media: media.id };
}

const referralOf = (source_id: string, headline = 'An advertisement') => ({
  source_url: `https://fb.me/${source_id}`,
  source_id,
  source_type: 'ad',
  headline,
  body: 'Chat with us',
  media_type: 'image',
  image_url: 'https://scontent.example/ad.jpg',
  ctwa_clid: `clid-${source_id}`,
});

export function writingActs({ nodes }: World, { chats, customers, media }: Parts, actionFields: ActionFields): Acts {
  const { act, person, number, message, tappable, file } = actionFields;
  const sidesOf = ({ page_id, parent_id }: Pick<Bubble, 'page_id' | 'parent_id'>) => ({
    from: there(customers.byId(nodes.get('chat', parent_id)?.parent_id ?? ''), 'customer'),
    to: there(nodes.get('number', page_id), 'number'),
  });
  function answer(bubble: Bubble, draft: Parameters<typeof chats.receive>[2]) {
    const { from, to } = sidesOf(bubble);
    return chats.receive(to, from, draft);
  }

  function again(of: Pick<Bubble, 'isOwn' | 'page_id' | 'parent_id'>, draft: Parameters<typeof chats.receive>[2]) {
    const { from, to } = sidesOf(of);
    return of.isOwn ? chats.echo(to, from, draft) : chats.receive(to, from, draft);
  }

  return {
    message: act(
      'customer',
      'Write to a number',
      {
        person,
        number,
        text: optional(long('Text')),
        attachment_url: file('Address of a picture, voice message or file'),
        voice: optional(flag('Voice message')),
        reply_to: maybeOne({ ...message, label: 'In answer to' }),
        ad_id: maybe('Id of the advertisement they come from'),
        ref: maybe('Headline of the advertisement'),
      },
      ({ text: body, attachment_url: blob, reply_to, ad_id, ref, ...by }) => {
        if (body === undefined && blob === undefined) throw new PageError(400, 'Write a text or name a file.');
        const draft =
          blob === undefined
            ? { type: 'text', content: { body }, text: body ?? '' }
            : fileDraft(blob, media.received(by.number.id, blob), body, by.voice);
        const context = reply_to && { context: reply_to.id };
        const extra = ad_id === undefined ? {} : { referral: referralOf(ad_id, ref) };
        return chats.receive(by.number, by.person, { ...draft, ...context }, extra);
      },
    ),
    share: act(
      'customer',
      'Send something else',
      {
        person,
        number,
        kind: oneOf('What', [...SHARED.keys()]),
        group_id: maybe('Id of the group that it is said in'),
      },
      ({ kind: type, group_id, ...by }) => {
        const [content, words] = SHARED.get(type)!;
        const errors = UNREADABLE.has(type) && { errors: [UNSUPPORTED] };
        const extra = { ...errors, ...(group_id !== undefined && { group_id }) };
        return chats.receive(by.number, by.person, { type, content, text: words }, extra);
      },
    ),
    tap: act(
      'customer',
      'Tap a button or pick a row',
      { message: tappable, choice: text('Id of the button or row') },
      (by) => {
        const chosen = by.message.choices.find(({ id }) => id === by.choice);
        if (chosen === undefined) throw new PageError(404, 'The message has no such button or row.');
        const { kind, ...reply } = chosen;
        const content = kind === 'button' ? { payload: reply.id, text: reply.title } : { type: kind, [kind]: reply };
        const type = kind === 'button' ? 'button' : 'interactive';
        return answer(by.message, { type, content, text: reply.title, context: by.message.id });
      },
    ),
    react: act(
      'customer',
      'React to a message',
      { message, emoji: maybe('Emoji; none takes the reaction back') },
      ({ emoji, ...to }) => {
        const content = { message_id: to.message.id, ...(emoji !== undefined && { emoji }) };
        return answer(to.message, { type: 'reaction', content, text: emoji ?? 'no reaction' });
      },
    ),
    edit: act(
      'customer',
      'Change a message',
      { message, text: long('Text') },
      ({ message: { id, type, isOwn, ...of }, text: to }) => {
        const { caption: _, ...rest } = (of.media === undefined ? {} : of.content) as { caption?: string };
        const content = of.media === undefined ? { body: to } : { ...rest, caption: to };
        nodes.change('bubble', id, { content, text: to });
        const change = { original_message_id: id, message: { type, [type]: content } };
        return again({ ...of, isOwn }, { type: 'edit', content: change, text: 'A change' });
      },
    ),
    revoke: act('customer', 'Take a message back', { message }, ({ message: of }) =>
      again(of, { type: 'revoke', content: { original_message_id: of.id }, text: 'Took a message back' }),
    ),
  };
}

export function choosingActs({ nodes, clock }: World, { chats, customers }: Parts, actionFields: ActionFields): Acts {
  const { act, person, number } = actionFields;
  const inChat = (title: string, run: (chat: NonNullable<ReturnType<typeof chats.of>>) => void) =>
    act('customer', title, { person, number }, (by) => run(there(chats.of(by.number.id, by.person.id), 'chat')));

  return {
    read: inChat('Read the chat', chats.read),
    deliver: inChat('Let messages arrive', (chat) => chats.bubbles(chat.id).forEach(chats.deliver)),
    block: act('customer', 'Block a number, or no longer', { person, number }, (by) => {
      const { id, blocked } = by.person;
      const rest = blocked.filter((one) => one !== by.number.id);
      return nodes.change('customer', id, {
        blocked: rest.length < blocked.length ? rest : [...blocked, by.number.id],
      });
    }),
    opt_out: act('customer', 'Stop marketing messages, or take them again', { person, number }, (by) => {
      const isOptedOut = by.person.isOptedOut !== true;
      const { contacts, from } = chats.sender(by.person, by.number);
      const preference = {
        wa_id: from.from,
        user_id: from.from_user_id,
        detail: `User requested to ${isOptedOut ? 'stop' : 'resume'} marketing messages`,
        category: 'marketing_messages',
        value: isOptedOut ? 'stop' : 'resume',
        timestamp: String(seconds(clock.now())),
      };
      chats.tell(by.number, 'user_preferences', { ...contacts, user_preferences: [preference] });
      return nodes.change('customer', by.person.id, { isOptedOut });
    }),
    take_username: act(
      'customer',
      'Hide the number behind a username, or show it again',
      { person, username: maybe('Username; none shows the number') },
      ({ username, ...by }) => nodes.change('customer', by.person.id, { username }),
    ),
    change_number: act(
      'customer',
      'Get another phone number',
      { person, number, digits: text('New number, digits only') },
      ({ digits, person: one, number: to }) => {
        if (!/^\d{7,15}$/.test(digits) || customers.find(digits) !== undefined)
          throw new PageError(400, 'A phone number has 7 to 15 digits, and is nobody else’s.');
        const { user_id: previous_user_id, wa_id = previous_user_id } = customers.idsOf(one, to);
        const renumbered = customers.renumber(one, digits);
        const now = customers.idsOf(renumbered, to);
        const body = `User ${one.name} changed from ${wa_id} to ${now.wa_id ?? now.user_id}`;
        const type = now.wa_id === undefined ? 'user_changed_user_id' : 'user_changed_number';
        chats.receive(to, one, { type: 'system', content: { body, type, ...now, previous_user_id }, text: body });
        return renumbered;
      },
    ),
  };
}
