import { z } from 'zod';
import { answer } from '../../kit/api/routes.ts';
import type { Message } from '../docs.ts';
import { badValue, forbidden, invalid } from '../errors.ts';
import { conversationOf } from '../authoring.ts';
import { idOf, listPage, makeCalls, read, type Call, type Parts, type Showing, type XRoute } from './calls.ts';

const DAY_MS = 86_400_000;
const KEPT_MS = 30 * DAY_MS;
const file = z.strictObject({ media_id: z.string() });
const Body = z.strictObject({
  text: z.string().min(1).max(10_000).optional(),
  attachments: z.array(file).length(1, 'must have exactly 1 item').optional(),
});

export function messageRoutes({ world, talk }: Parts, showing: Showing): readonly XRoute[] {
  const { docs, files, options } = world;
  const { clock, store } = options;
  const call = makeCalls(world);

  function attached(id: string, account: string): string {
    const { page_id, category = '', ready_at = Infinity, at = 0, fails } = docs.get('medium', id) ?? {};
    const isReady = page_id === account && category.startsWith('dm_') && ready_at <= clock.now();
    if (!isReady || at <= clock.now() - DAY_MS || fails === true)
      throw invalid('Your media IDs are invalid.', { media_id: [id] });
    return id;
  }
  function send({ caller: { person } }: Call, conversation: string, { text, attachments }: z.output<typeof Body>) {
    if (text === undefined && attachments === undefined) throw invalid('$.text: is missing but it is required');
    const media = attachments && attached(attachments[0]!.media_id, person);
    talk.check(person, conversation);
    const { id } = store.write(() => talk.say(person, conversation, text ?? '', media));
    return answer({ data: { dm_conversation_id: conversation, dm_event_id: id } }, 201);
  }
  const withWhom = ({ path, caller }: Call) =>
    conversationOf(caller.person, idOf(path['participant_id'], 'participant_id'));
  function joined({ path: { id = '' }, caller }: Call): string {
    if (!/^\d{1,19}(?:-\d{1,19})?$/.test(id)) throw badValue('id', id);
    if (!talk.membersOf(id).includes(caller.person)) throw forbidden();
    return id;
  }
  function list(one: Call, conversation?: string) {
    const isMeant = (one.params.text('event_types') ?? 'MessageCreate').split(',').includes('MessageCreate');
    const isVisible = ({ page_id, at }: Message) =>
      isMeant && at > clock.now() - KEPT_MS && (conversation === undefined || page_id === conversation);
    return listPage(one, talk.of(one.caller.person).filter(isVisible), [1, 100, 100], showing.messages);
  }
  const bodyOf = ({ params }: Call) => read(Body, params.values, '$');

  return [
    call('GET /2/dm_events', 'read-dm 15', (one) => list(one)),
    call('GET /2/dm_conversations/with/{participant_id}/dm_events', 'read-dm 15', (one) => list(one, withWhom(one))),
    call('GET /2/dm_conversations/{id}/dm_events', 'read-dm 15', (one) => list(one, joined(one))),
    call('POST /2/dm_conversations/with/{participant_id}/messages', 'send-dm 15 1440', (one) =>
      send(one, withWhom(one), bodyOf(one)),
    ),
    call('POST /2/dm_conversations/{id}/messages', 'send-dm 15 1440', (one) => send(one, joined(one), bodyOf(one))),
    call('GET /2/dm_conversations/media/{dm_id}/{media_id}/{resource_id}', 'read-dm 900', ({ path, caller }) => {
      const found = talk.of(caller.person).find(({ id, media }) => id === path['dm_id'] && media === path['media_id']);
      const { blob = '', mime = '' } = docs.get('medium', found?.media ?? '') ?? {};
      if (blob === '' || blob !== path['resource_id']) throw forbidden();
      return answer(Buffer.concat([...files.pieces(blob)]), 200, { 'content-type': mime });
    }),
  ];
}
