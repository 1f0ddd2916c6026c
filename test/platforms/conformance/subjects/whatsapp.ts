import { EVENTS, type EventName } from '#kernel/events.ts';
import { stateErrors, table } from '#platforms/whatsapp/errors.ts';
import { whatsapp } from '#platforms/whatsapp/index.ts';
import type { Json } from '#test/harness/world.ts';
import { openDescription } from '#test/oracles/described.ts';
import { connectByConsent } from '../consent.ts';
import { messageCase, say } from '../answers.ts';
import { whatsappInbound } from '../inbound/whatsapp.ts';
import { probeOf, samplesOf } from '../errors.ts';
import { twinOf } from '../twin.ts';
import { expect } from 'vitest';
import { FAILED, graphError, UNLISTED } from './graph.ts';
import { manageEverything, sendEverything } from './whatsapp-everything.ts';
import type { Door, Scene, Subject } from '../subject.ts';

const WANDA = 'wanda.sandbox.test';
const CARLA = 'Carla Customer';

const { act, list } = twinOf('whatsapp');

/** The first one comes through the dialog, the second one with a token. */
async function connect(door: Door, nth: number) {
  if (nth === 0)
    return { account: await connectByConsent(door, 'whatsapp', '/dialog/oauth', { person: WANDA }), person: WANDA };
  const people = (await door.control('people')) as readonly Json[];
  const { handle: person, credentials } = people.filter(({ network }) => network === 'whatsapp')[nth]!;
  const { body } = await door.rest('POST /v1/accounts/connect', { platform: 'whatsapp', metadata: credentials });
  return { account: body.account_id as string, person: person as string };
}

/** The customer of the simulator, and the number of the first account. */
async function sceneOf(door: Pick<Door, 'control'>) {
  const [customer] = await list(door, 'customers', ({ name }) => name === CARLA);
  const [number] = await list(door, 'numbers');
  return { person: customer.id as string, number: number.id as string };
}
const carla = async (door: Pick<Door, 'control'>, name: string, input: object = {}) =>
  act(door, name, { ...(await sceneOf(door)), ...input });

const seen = async (door: Door, text: string) =>
  (await list(door, 'messages', (message) => message.isOwn && message.text === text)).length;

const sendTemplate = ({ rest, account }: Scene) => {
  const template = { to: '12025550171', template_name: 'hello', language: 'en_US' };
  return rest(`POST /v1/platforms/whatsapp/accounts/${account}/send-template`, template);
};
const register = ({ rest, account }: Scene) =>
  rest(`POST /v1/platforms/whatsapp/phone-numbers/${account}/register`, { pin: '123456' });

const rowsOf = (own: typeof table) =>
  probeOf(own, {
    samples: [
      { ...FAILED, isTransient: true },
      ...samplesOf(own.rows, FAILED),
      ...[299, 999_999].map((code) => ({ ...FAILED, code })),
    ],
    answer: graphError,
    ask: say,
  }).rows;
const rows = rowsOf(table);

const HAS: ReadonlySet<EventName> = new Set<EventName>([
  'account.connected',
  'account.disconnected',
  'dm.received',
  'dm.sent',
  'dm.postback',
  'dm.status.sent',
  'dm.status.delivered',
  'dm.status.read',
  'dm.status.failed',
]);

/** Meta describes neither log-ins nor what an app is, nor the storage of files. */
const OTHERS = /^\/(?:oauth\/access_token|debug_token|\w+\/subscriptions)$/;

/** A path of Meta's description, which tells by the fields that are asked for what an id alone is of. */
function pathOf({ pathname, searchParams }: URL): string | undefined {
  const [, path = ''] = /\/graph\/v[\d.]+(\/.+)$/.exec(pathname) ?? [];
  if (path === '' || OTHERS.test(path)) return undefined;
  if (searchParams.has('phone_number_id')) return `/media${path}`;
  const { fields = 'category' } = Object.fromEntries(searchParams);
  return /^\/\d+$/.test(path) && fields.includes('category') ? `/templates${path}` : path;
}
const described = openDescription('meta-whatsapp.json', pathOf);

export const whatsappSubject: Subject = {
  platform: whatsapp,
  described,
  connect,
  people: { message: (scene, text) => carla(scene, 'message', { text }) },
  inbound: whatsappInbound(carla),
  posts: {},
  sends: {
    message: messageCase(seen),
  },
  events: {
    async 'dm.postback'(scene) {
      const buttons = [{ type: 'postback', title: 'Yes', payload: 'YES' }];
      const { body } = await say(scene, 'Rye?', { buttons });
      await act(scene, 'tap', { message: body.message_id, choice: 'YES' });
    },
    'dm.status.read': (scene) => carla(scene, 'read'),
    async 'dm.status.delivered'(scene) {
      // From here on there is one message that nobody read.
      await carla(scene, 'read');
      await say(scene, 'Until six.');
    },
  },
  without: (Object.keys(EVENTS) as EventName[]).filter((name) => !HAS.has(name)),
  refusal: graphError({ ...FAILED, code: 131009 }),
  unlisted: UNLISTED,
  // Templates, and the state of a number, are things of other operations.
  probes: [
    { rows: rows.filter(({ code = '' }) => !code.includes('template')), ask: say },
    { rows: rows.filter(({ code }) => code?.includes('template')), ask: sendTemplate },
    { rows: rowsOf(stateErrors.table).filter(({ code }) => code === 'resource.conflict'), ask: register },
  ],
  scenes: {
    'sends messages of every kind as described': sendEverything,
    'does everything with templates and numbers as described': manageEverything,
    async 'a message whose answer was lost is settled by the mark of its statuses'(stage, scene) {
      const receiver = await stage.world.receive(['dm.sent', 'dm.status.sent']);
      await act(stage, 'settings', { push_paused: 'true' });
      await act(stage, 'order', { method: 'POST number/messages', when: 'after', status: 500, code: 2 });
      expect((await say(scene, 'Until six.')).status).toBe(502);
      expect(receiver.received).toEqual([]);
      await act(stage, 'settings', { push_paused: 'false' });
      await act(stage, 'flush', {});
      await stage.hear();
      expect(receiver.received.map(({ body }) => body.event)).toEqual(['dm.sent', 'dm.status.sent']);
      // Who asks again is answered with the message that is there.
      const { message_id } = (await say(scene, 'Until six.')).body;
      expect(receiver.received[0]!.body.data['platform_id']).toBe(message_id);
      expect([await seen(stage, 'Until six.'), receiver.received.length]).toEqual([1, 2]);
    },
  },
  deauthorize: (scene) => act(scene, 'revoke_app', { person: scene.person }),
  deleteData: (scene) => act(scene, 'delete_data', { person: scene.person }),
};
