/** Everything that people send to a bot, and that happens in its chats. */
import { SERVICES, SHARED } from '#sandbox/telegram/people/samples.ts';
import { png } from '#test/harness/media-samples.ts';
import { say } from '../answers.ts';
import type { InboundCase, Scene } from '../subject.ts';
import { twinOf } from '../twin.ts';

const { act, list } = twinOf('telegram');

const FRED = 'Fred Follower';
/** A group that the bot is in. */
const CREW = 'Harbour Coffee crew';
const FILES = ['photo', 'video', 'animation', 'video_note', 'voice', 'audio', 'document', 'sticker'];
/** What is not said in groups. */
const PRIVATE = new Set(
  'pinned_message write_access_allowed connected_website message_auto_delete_timer_changed refunded_payment'.split(' '),
);

const pair = (scene: Scene) => ({ person: FRED, bot: scene.person });
const write = (scene: Scene, said: object) => act(scene, 'write', { ...pair(scene), ...said });
const file = (kind: string) => ({ kind, content: png().toString('base64'), name: kind });

/** The newest message of Fred that is about something. */
async function newest(scene: Scene, about: 'text' | 'media'): Promise<string> {
  const said = await list(
    scene,
    'messages',
    (one) => one.chat === `${scene.person}/${one.from}` && Boolean(one[about]),
  );
  return said.at(-1)!.id as string;
}

const message = (send: InboundCase['send']): InboundCase => ({ becomes: 'message', together: true, send });
const each = (names: readonly string[], make: (name: string) => InboundCase): Record<string, InboundCase> =>
  Object.fromEntries(names.map((name) => [name, make(name)]));

export const telegramInbound: Readonly<Record<string, InboundCase>> = {
  text: message((scene) => act(scene, 'say_in_group', { person: FRED, chat: CREW, text: 'Hi' })),
  text_link: message((scene) => write(scene, { text: 'See <a href="https://a.example/menu">it</a>', html: 'true' })),
  ...each(FILES, (kind) => message((scene) => write(scene, file(kind)))),
  ...each(Object.keys(SHARED), (shared) => message((scene) => write(scene, { shared }))),
  edited_message: {
    becomes: 'edit',
    send: async (scene) => act(scene, 'edit', { message: await newest(scene, 'text'), text: 'Better' }),
  },
  message_reaction: {
    becomes: 'reaction',
    send: async (scene) => act(scene, 'react', { person: FRED, message: await newest(scene, 'text'), emoji: '👍' }),
  },
  callback_query: {
    becomes: 'postback',
    async send(scene) {
      await say(scene, 'Spelt?', { buttons: [{ type: 'postback', title: 'Yes', payload: 'YES' }] });
      const [asked] = await list(scene, 'messages', ({ text }) => text === 'Spelt?');
      return act(scene, 'press', { message: asked!.id, button: 'Yes' });
    },
  },
  '/start': { becomes: 'referral', send: (scene) => act(scene, 'start', { ...pair(scene), payload: 'spring' }) },
  message_thread_id: {
    becomes: 'comment',
    send: (scene) =>
      act(scene, 'comment', { person: FRED, message: scene.platformPost.replace(':', '#'), ...file('photo') }),
  },
  ...each(Object.keys(SERVICES), (kind) => ({
    becomes: 'notice',
    together: true,
    send: (scene) =>
      act(scene, 'happen', { person: FRED, kind, ...(PRIVATE.has(kind) ? { bot: scene.person } : { chat: CREW }) }),
  })),
  migrate_to_chat_id: {
    becomes: 'nothing',
    send: (scene) => act(scene, 'migrate', { chat: CREW }),
  },
};
