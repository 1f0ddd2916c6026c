import { say } from '../answers.ts';
import { FRED, type twinOf } from '../twin.ts';
import type { Door, InboundCase, Scene } from '../subject.ts';

type Play = (scene: Scene, name: string, input?: object) => Promise<unknown>;
type Twin = ReturnType<typeof twinOf>;

/** Cases of one outcome, by their names. */
export const casesOf = (
  becomes: InboundCase['becomes'],
  names: readonly string[],
  send: (scene: Scene, name: string) => Promise<unknown>,
): Readonly<Record<string, InboundCase>> =>
  Object.fromEntries(
    names.map((name) => [name, { becomes, together: true, send: (scene: Scene) => send(scene, name) }]),
  );

/** What Fred sends and does in the conversation of a scene, on either platform of the Send API. */
export function messageCases({ act, list }: Twin, play: Play, kinds: readonly string[]) {
  const newest = async (door: Door, is: (row: any) => boolean): Promise<string> =>
    (await list(door, 'messages', (row) => row.deleted_at === undefined && is(row))).at(-1).id;
  const theirs = (door: Door) => newest(door, ({ from_page }) => !from_page);
  const ours = (door: Door) => newest(door, ({ from_page }) => from_page);
  const write = (scene: Scene) => play(scene, 'message', { text: 'Are you open?' });
  const react = async (scene: Scene, reaction: string) =>
    act(scene, 'react_message', { message: await theirs(scene), reaction });
  const unsend = async (scene: Scene) => act(scene, 'unsend', { message: await theirs(scene) });
  const tap = async (scene: Scene, payload: string) => act(scene, 'tap', { message: await ours(scene), payload });
  const quickReplies = [{ title: 'Yes', payload: 'YES' }];
  const buttons = [{ type: 'postback', title: 'Menu', payload: 'MENU' }];

  return {
    theirs,
    unsend,
    cases: {
      text: { becomes: 'message', together: true, send: write },
      ...casesOf('message', kinds, (scene, kind) => play(scene, 'send', { kind })),
      reply_to: {
        becomes: 'message',
        together: true,
        send: async (scene) => play(scene, 'message', { text: 'I mean today', reply_to: await theirs(scene) }),
      },
      message_echoes: { becomes: 'message', send: (scene) => play(scene, 'page_message', { text: 'Until six.' }) },
      quick_reply: {
        becomes: 'message',
        before: (scene) => say(scene, 'Today?', { quick_replies: quickReplies }),
        send: (scene) => tap(scene, 'YES'),
      },
      postback: {
        becomes: 'postback',
        before: (scene) => say(scene, 'What would you like?', { buttons }),
        send: (scene) => tap(scene, 'MENU'),
      },
      referral: { becomes: 'referral', send: (scene) => play(scene, 'referral', { ref: 'spring' }) },
      message_edit: {
        becomes: 'edit',
        before: write,
        send: async (scene) =>
          act(scene, 'edit_message', { message: await theirs(scene), text: 'Are you open today?' }),
      },
      reaction: { becomes: 'reaction', send: (scene) => react(scene, 'love') },
      unreact: { becomes: 'reaction', before: (scene) => react(scene, 'love'), send: (scene) => react(scene, 'none') },
      read: {
        becomes: 'receipt',
        before: (scene) => say(scene, 'We are open.'),
        send: (scene) => play(scene, 'read'),
      },
    } satisfies Readonly<Record<string, InboundCase>>,
  };
}

/** What somebody else writes below the post of a scene, and takes back. */
export function commentCases({ act, list }: Twin) {
  const newest = async (door: Door) =>
    (await list(door, 'comments', ({ deleted_at, author }) => deleted_at === undefined && author !== undefined)).at(-1)
      .id as string;
  const write = (scene: Scene, more: object) =>
    act(scene, 'comment', { person: FRED, on: scene.platformPost, ...more });
  return { newest, write };
}
