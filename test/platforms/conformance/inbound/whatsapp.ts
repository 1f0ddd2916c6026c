/** Everything that customers send to a number, and do to what was sent. */
import type { Json } from '#test/harness/world.ts';
import type { InboundCase, Scene } from '../subject.ts';
import { twinOf } from '../twin.ts';

const { act, list } = twinOf('whatsapp');

type Carla = (scene: Scene, name: string, input?: object) => Promise<Json>;

/** The newest text of the customer. */
async function newest(scene: Scene): Promise<string> {
  const said = await list(scene, 'messages', ({ isOwn, type }) => isOwn !== true && type === 'text');
  return said.at(-1)!.id as string;
}

/** The cases, by how the customer does something. */
export function whatsappInbound(carla: Carla): Readonly<Record<string, InboundCase>> {
  const share = (kind: string): InboundCase => ({
    becomes: 'message',
    together: true,
    send: (scene) => carla(scene, 'share', { kind }),
  });
  const nothing = (input: object): InboundCase => ({
    becomes: 'nothing',
    send: (scene) => carla(scene, 'share', input),
  });
  return {
    text: { becomes: 'message', together: true, send: (scene) => carla(scene, 'message', { text: 'Hello' }) },
    location: share('location'),
    contacts: share('contacts'),
    order: share('order'),
    unsupported: share('unsupported'),
    unknown: share('unknown'),
    ephemeral: share('ephemeral'),
    interactive: share('interactive'),
    edit: {
      becomes: 'edit',
      send: async (scene) => act(scene, 'edit', { message: await newest(scene), text: 'Better' }),
    },
    reaction: {
      becomes: 'reaction',
      send: async (scene) => act(scene, 'react', { message: await newest(scene), emoji: '👍' }),
    },
    revoke: { becomes: 'removal', send: async (scene) => act(scene, 'revoke', { message: await newest(scene) }) },
    system: { becomes: 'notice', send: (scene) => carla(scene, 'share', { kind: 'system' }) },
    request_welcome: nothing({ kind: 'request_welcome' }),
    group_id: nothing({ kind: 'location', group_id: 'g1' }),
    smb_message_echoes: { becomes: 'message', send: (scene) => carla(scene, 'phone_message', { text: 'By hand' }) },
  };
}
