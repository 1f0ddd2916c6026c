import { makeCast } from '../../graph/people/cast.ts';
import { byName, offered, pick, short } from '../../kit/acts.ts';
import type { Customers } from '../customers.ts';
import type { Bubble } from '../docs.ts';
import type { Chats } from '../messages/chats.ts';
import type { MediaFiles } from '../messages/media.ts';
import type { Templates } from '../templates/sending.ts';
import type { World } from '../world.ts';

export type Parts = Readonly<{ customers: Customers; chats: Chats; media: MediaFiles; templates: Templates }>;
export type ActionFields = ReturnType<typeof makeActionFields>;

export function makeActionFields(world: World, { customers, templates }: Parts) {
  const { nodes, people } = world;
  const { act, file, owner } = makeCast(world);
  const numbers = () => nodes.list('number');
  const bubble = (isOffered: (one: Bubble) => boolean) =>
    pick(
      'Message',
      'message',
      (id) => nodes.get('bubble', id),
      () => offered(nodes.list('bubble').filter(isOffered), ({ type, text: words }) => `${type}: ${short(words)}`),
    );
  return Object.freeze({
    act,
    file,
    owner,
    account: pick('WhatsApp account', 'WhatsApp account', people.findPage, () => byName(people.pages())),
    person: pick('Who', 'customer', customers.find, () => byName(customers.all())),
    number: {
      ...pick(
        'To which number',
        'number',
        (words) => numbers().find(({ id, digits }) => [id, digits].includes(words)),
        () => numbers().map(({ id, display, verified_name }) => ({ value: id, label: `${verified_name} ${display}` })),
      ),
      kind: 'number_id',
    },
    message: bubble(() => true),
    tappable: bubble(({ choices }) => choices.length > 0),
    template: pick(
      'Template',
      'template',
      (words) =>
        people
          .pages()
          .flatMap(({ id }) => templates.of(id))
          .find(({ id, name }) => [id, name].includes(words)),
      () =>
        people.pages().flatMap(({ id, name: of }) =>
          templates.of(id).map(({ id: value, name, language, status }) => ({
            value,
            label: `${of}: ${name} (${language}, ${status})`,
          })),
        ),
    ),
  });
}
