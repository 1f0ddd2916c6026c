import { tableOf } from '#kernel/text/table.ts';
import { PageError } from '../../forms.ts';
import { flag, long, maybe, maybeOne, oneOf, optional, text, type Acts } from '../../kit/acts.ts';
import { makeCast } from '../people/cast.ts';
import type { Message, Thread } from '../docs.ts';
import { sentAs } from './kinds.ts';
import type { Threads } from './threads.ts';
import { pictureUrl, type GraphWorld } from '../world.ts';

const ON_MESSAGES: ReadonlyMap<string, string> = tableOf({
  love: '❤',
  smile: '😀',
  wow: '😮',
  sad: '😢',
  angry: '😠',
  like: '👍',
  dislike: '👎',
});

const typeOf = (mime: string): string => /^(image|audio|video)\//.exec(mime)?.[1] ?? 'file';

function singleActs(world: GraphWorld, threads: Threads): Acts {
  const { nodes, updates, clock } = world;
  const { act, follower: person, page, message, file } = makeCast(world);
  function threadOf({ parent_id }: Message): Thread {
    const thread = nodes.get('thread', parent_id);
    if (thread === undefined) throw new PageError(404, 'There is no such conversation.');
    return thread;
  }

  /** Tapping a quick reply sends a message, tapping a button a postback; links only open a page. */
  function tap(message: Message, payload: string): unknown {
    const thread = threadOf(message);
    const reply = message.quick_replies?.find((one) => (one as { payload?: unknown }).payload === payload) as
      | { title?: string }
      | undefined;
    if (reply !== undefined)
      return threads.fromPerson(thread, {
        by_app: false,
        pieces: [],
        text: reply.title ?? payload,
        quick_reply: payload,
      });
    const button = buttonsOf(message).find((one) => one['type'] === 'postback' && one['payload'] === payload);
    if (button === undefined) throw new PageError(404, 'The message has no such button.');
    threads.touch(thread);
    const postback = { mid: `m_tap${clock.now()}${message.id.slice(2, 30)}`, title: button['title'], payload };
    updates.messaging('messaging_postbacks', thread, 'person', { postback });
    return postback;
  }

  return {
    message: act(
      'follower',
      'Write to a Page',
      {
        person,
        page,
        text: optional(long('Text')),
        attachment_url: file('Address of a picture or file'),
        reply_to: maybeOne({ ...message, label: 'In answer to' }),
      },
      ({ attachment_url: blob, text: words, reply_to, ...by }) => {
        if (words === undefined && blob === undefined) throw new PageError(400, 'Write a text or name a file.');
        return threads.fromPerson(threads.open(by.page.id, by.person.id), {
          by_app: false,
          pieces: blob === undefined ? [] : [{ type: typeOf(blob.mime), blob: blob.id }],
          ...(words !== undefined && { text: words }),
          ...(reply_to !== undefined && { reply_to: reply_to.id }),
        });
      },
    ),
    edit_message: act('follower', 'Change a message', { message, text: long('New text') }, (to) => {
      if (to.message.from_page) throw new PageError(400, 'Only the author can change a message.');
      const edits = to.message.edits + 1;
      const edited = nodes.change('message', to.message.id, { text: to.text, edits });
      updates.messaging('message_edits', threadOf(edited), 'person', {
        message_edit: { mid: edited.id, text: edited.text, num_edit: edits },
      });
    }),
    tap: act(
      'follower',
      'Tap a button or quick reply of a message',
      { message, payload: text('Payload of the button') },
      (to) => tap(to.message, to.payload),
    ),
    react_message: act(
      'follower',
      'React to a message',
      { message, reaction: oneOf('Reaction', [...ON_MESSAGES.keys(), 'none']) },
      ({ message: { id: mid, ...message }, reaction: chosen }) => {
        const isNone = chosen === 'none';
        const reaction = isNone ? (message.reaction ?? 'like') : chosen;
        nodes.change('message', mid, { reaction: isNone ? undefined : chosen });
        updates.messaging('message_reactions', threadOf({ id: mid, ...message }), 'person', {
          reaction: { reaction, emoji: ON_MESSAGES.get(reaction), action: isNone ? 'unreact' : 'react', mid },
        });
      },
    ),
  };
}

/** What followers do in conversations, and what a Page's people write in its own inbox. */
export function messageActs(world: GraphWorld, threads: Threads, kinds: readonly string[]) {
  const { nodes, updates } = world;
  const { act, follower: person, page } = makeCast(world);

  return Object.freeze({
    ...singleActs(world, threads),
    send: act(
      'follower',
      'Send something else than words',
      { person, page, kind: oneOf('What', kinds), text: optional(long('Text')) },
      ({ kind, text: words, ...by }) => {
        const sent = sentAs(kind, pictureUrl(world, by.page.id));
        const text = words === undefined ? {} : { text: words };
        return threads.fromPerson(threads.open(by.page.id, by.person.id), {
          by_app: false,
          pieces: [],
          ...sent,
          ...text,
        });
      },
    ),
    read: act('follower', 'Read the conversation', { person, page }, (by) =>
      threads.read(threads.open(by.page.id, by.person.id)),
    ),
    deliver: act('follower', 'Let messages arrive', { person, page }, (by) =>
      threads.delivered(threads.open(by.page.id, by.person.id)),
    ),
    referral: act(
      'follower',
      'Open a link that leads into the conversation',
      { person, page, ref: text('Ref of the link'), ad_id: maybe('Ad id, when it was an ad') },
      ({ ref, ad_id, ...by }) => {
        const known = threads.of(by.page.id, by.person.id);
        const thread = threads.touch(threads.open(by.page.id, by.person.id));
        const source = ad_id === undefined ? 'SHORTLINK' : 'ADS';
        const referral = { ref, source, type: 'OPEN_THREAD', ...(ad_id !== undefined && { ad_id }) };
        // On a first visit the referral arrives with the postback of the Get Started button.
        if (known === undefined)
          updates.messaging('messaging_postbacks', thread, 'person', {
            postback: { mid: `m_started${thread.id}`, title: 'Get Started', payload: 'GET_STARTED', referral },
          });
        else updates.messaging('messaging_referrals', thread, 'person', { referral });
      },
    ),
    optin: act('follower', 'Opt in to messages of a topic', { person, page }, (by) =>
      updates.messaging('messaging_optins', threads.open(by.page.id, by.person.id), 'person', {
        optin: { type: 'notification_messages', payload: 'NEWS', title: 'News' },
      }),
    ),
    unavailable: act(
      'follower',
      'Be out of reach for messages',
      { person, unavailable: optional(flag('Out of reach')) },
      (by) => nodes.change('person', by.person.id, { unavailable: by.unavailable }),
    ),
    page_message: act(
      'page',
      'Answer from the Page’s own inbox',
      { page, person, text: long('Text') },
      ({ text: words, ...by }) =>
        threads.fromPage(threads.open(by.page.id, by.person.id), { by_app: false, pieces: [], text: words }),
    ),
  } satisfies Acts);
}

export function buttonsOf({ pieces }: Message): readonly Readonly<Record<string, unknown>>[] {
  type Buttons = { buttons?: readonly Readonly<Record<string, unknown>>[] };
  return pieces.flatMap(({ payload }) => {
    const { buttons = [], elements = [] } = (payload ?? {}) as Buttons & { elements?: readonly Buttons[] };
    return [...buttons, ...elements.flatMap((element) => element.buttons ?? [])];
  });
}
