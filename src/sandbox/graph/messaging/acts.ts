import { PageError } from '../../forms.ts';
import { isOn, long, maybe, must, text, there } from '../../kit/acts.ts';
import type { Acts, Values } from '../../kit/acts.ts';
import { makeCast, message as aMessage, page, person } from '../people/cast.ts';
import type { Message, Thread } from '../docs.ts';
import type { Threads } from './threads.ts';
import type { GraphWorld } from '../world.ts';

const ON_MESSAGES: Readonly<Record<string, string>> = Object.freeze({
  love: '❤',
  smile: '😀',
  wow: '😮',
  sad: '😢',
  angry: '😠',
  like: '👍',
  dislike: '👎',
});

/** What people do with single messages. */
function singleActs(
  world: GraphWorld,
  threads: Threads,
  typeOf: (mime: string) => string,
  messageOf: (values: Values) => Message,
  threadOf: (message: Message) => Thread,
  tap: (message: Message, payload: string) => unknown,
): Acts {
  const { who, where, fileOf } = makeCast(world);
  const { nodes, store, updates } = world;

  return {
    message: {
      group: 'follower',
      title: 'Write to a Page',
      fields: {
        person,
        page,
        text: { label: 'Text', kind: 'long', optional: true },
        attachment_url: maybe('Address of a picture or file'),
        reply_to: { label: 'In answer to', kind: 'message', optional: true },
      },
      async run(values: Values) {
        if (values['text'] === undefined && values['attachment_url'] === undefined)
          throw new PageError(400, 'Write a text or name a file.');
        const from = who(values);
        const to = where(values);
        const blob = await fileOf(values['attachment_url']);
        const type = blob === undefined ? '' : typeOf(blob.mime);
        return store.write(() =>
          threads.fromPerson(threads.open(to.id, from.id), {
            by_app: false,
            pieces: blob === undefined ? [] : [{ type, blob: blob.id }],
            ...(values['text'] !== undefined && { text: values['text'] }),
            ...(values['reply_to'] !== undefined && { reply_to: values['reply_to'] }),
          }),
        );
      },
    },
    edit_message: {
      group: 'follower',
      title: 'Change a message',
      fields: { message: aMessage, text: long('New text') },
      run: (values: Values) =>
        store.write(() => {
          const old = messageOf(values);
          if (old.from_page) throw new PageError(400, 'Only the author can change a message.');
          const edited = nodes.change('message', old.id, { text: must(values, 'text'), edits: old.edits + 1 });
          updates.messaging('message_edits', threadOf(edited), 'person', {
            message_edit: { mid: edited.id, text: edited.text, num_edit: edited.edits },
          });
        }),
    },
    tap: {
      group: 'follower',
      title: 'Tap a button or quick reply of a message',
      fields: { message: aMessage, payload: text('Payload of the button') },
      run: (values: Values) => store.write(() => tap(messageOf(values), must(values, 'payload'))),
    },
    react_message: {
      group: 'follower',
      title: 'React to a message',
      fields: {
        message: aMessage,
        reaction: { label: 'Reaction', kind: 'choice', choices: [...Object.keys(ON_MESSAGES), 'none'] },
      },
      run: (values: Values) =>
        store.write(() => {
          const message = messageOf(values);
          const chosen = must(values, 'reaction');
          const reaction = chosen === 'none' ? (message.reaction ?? 'like') : chosen;
          nodes.change('message', message.id, { reaction: chosen === 'none' ? undefined : chosen });
          updates.messaging('message_reactions', threadOf(message), 'person', {
            reaction: {
              reaction,
              emoji: ON_MESSAGES[reaction],
              action: chosen === 'none' ? 'unreact' : 'react',
              mid: message.id,
            },
          });
        }),
    },
  };
}

/** What followers do in conversations, and what a Page's people write from its own inbox. */
export function messageActs(world: GraphWorld, threads: Threads): Acts {
  const { store, nodes, updates, clock } = world;
  const { who, where } = makeCast(world);
  const messageOf = (values: Values): Message => there(nodes.get('message', must(values, 'message')), 'message');
  const typeOf = (mime: string): string => /^(image|audio|video)\//.exec(mime)?.[1] ?? 'file';
  function threadOf(message: Message): Thread {
    const thread = nodes.get('thread', message.parent_id);
    if (thread === undefined) throw new PageError(404, 'There is no such conversation.');
    return thread;
  }

  /** A quick reply becomes a message, a button a postback; links only open a page. */
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

  return Object.freeze({
    ...singleActs(world, threads, typeOf, messageOf, threadOf, tap),
    read: {
      group: 'follower',
      title: 'Read the conversation',
      fields: { person, page },
      run: (values: Values) => store.write(() => threads.read(threads.open(where(values).id, who(values).id))),
    },
    deliver: {
      group: 'follower',
      title: 'Let messages arrive',
      fields: { person, page },
      run: (values: Values) => store.write(() => threads.delivered(threads.open(where(values).id, who(values).id))),
    },
    referral: {
      group: 'follower',
      title: 'Open a link that leads into the conversation',
      fields: { person, page, ref: text('Ref of the link'), ad_id: maybe('Ad id, when it was an ad') },
      run: (values: Values) =>
        store.write(() => {
          const { ad_id } = values;
          const known = threads.of(where(values).id, who(values).id);
          const thread = threads.touch(threads.open(where(values).id, who(values).id));
          const referral = {
            ref: must(values, 'ref'),
            source: ad_id === undefined ? 'SHORTLINK' : 'ADS',
            type: 'OPEN_THREAD',
            ...(ad_id !== undefined && { ad_id }),
          };
          // A first visit begins with the Get Started button, which carries the referral.
          if (known === undefined)
            updates.messaging('messaging_postbacks', thread, 'person', {
              postback: { mid: `m_started${thread.id}`, title: 'Get Started', payload: 'GET_STARTED', referral },
            });
          else updates.messaging('messaging_referrals', thread, 'person', { referral });
        }),
    },
    unavailable: {
      group: 'follower',
      title: 'Be out of reach for messages',
      fields: { person, unavailable: { label: 'Out of reach', kind: 'flag', optional: true } },
      run: (values: Values) =>
        store.write(() => nodes.change('person', who(values).id, { unavailable: isOn(values['unavailable']) })),
    },
    page_message: {
      group: 'page',
      title: 'Answer from the Page’s own inbox',
      fields: { page, person, text: long('Text') },
      run: (values: Values) =>
        store.write(() =>
          threads.fromPage(threads.open(where(values).id, who(values).id), {
            by_app: false,
            pieces: [],
            text: must(values, 'text'),
          }),
        ),
    },
  } satisfies Acts);
}

/** Every button of a template message. */
export function buttonsOf({ pieces }: Message): readonly Readonly<Record<string, unknown>>[] {
  type Buttons = { buttons?: readonly Readonly<Record<string, unknown>>[] };
  return pieces.flatMap(({ payload }) => {
    const { buttons = [], elements = [] } = (payload ?? {}) as Buttons & { elements?: readonly Buttons[] };
    return [...buttons, ...elements.flatMap((element) => element.buttons ?? [])];
  });
}
