import { actsIn, flag, long, maybe, oneOf, optional, short, text, type ActTable } from '../kit/acts.ts';
import { pickPerson } from '../kit/action-fields.ts';
import { codeAndMessage } from '../kit/api/orders.ts';
import { worldActs } from '../kit/world.ts';
import { PRIVACY } from './docs.ts';
import type { Login } from './login.ts';
import type { Pins, World } from './world.ts';

export function pinterestActs(world: World, pins: Pins, login: Login): ActTable {
  const { docs, people, options, pickDoc } = world;
  const act = actsIn(options.store);
  const visitor = pickPerson('Who', people.find, people.followers);
  const owner = pickPerson('Account', people.find, people.owners);
  const pin = pickDoc('pin', (one) => short(pins.textOf(one)));
  const board = pickDoc('board', ({ name }) => name);
  return {
    acts: {
      comment: act('visitors', 'Comment on a pin', { person: visitor, pin, text: long('Text') }, (form) => {
        const comments = [...form.pin.comments, { person: form.person.id, text: form.text, at: options.clock.now() }];
        docs.change('pin', form.pin.id, { comments });
      }),
      react: act('visitors', 'Like a pin', { pin }, (it) => pins.count(it.pin, 'TOTAL_REACTIONS')),
      save: act('visitors', 'Save a pin to a board of one’s own', { pin }, (it) => pins.count(it.pin, 'SAVE')),
      click: act('visitors', 'Click on a pin', { pin, out: optional(flag('And follow its link')) }, (it) =>
        pins.count(it.pin, 'IMPRESSION', 'PIN_CLICK', ...(it.out ? ['OUTBOUND_CLICK'] : [])),
      ),
      board: act(
        'owners',
        'Make a board without the app',
        { account: owner, name: text('Name'), privacy: oneOf('Who sees it', PRIVACY) },
        ({ account, name, privacy }) =>
          pins.newBoard(account.id, { name, description: '', privacy: privacy as (typeof PRIVACY)[number] }).id,
      ),
      delete_board: act('owners', 'Delete a board without the app', { board }, (it) => pins.removeBoard(it.board)),
      pin: act('owners', 'Pin without the app', { board, title: text('Title'), text: maybe('Text') }, (form) => {
        const fields = { title: form.title, description: form.text ?? null };
        return pins.put({ page_id: form.board.page_id, parent_id: form.board.id, fields, pictures: [] }).id;
      }),
      delete_pin: act('owners', 'Delete a pin without the app', { pin }, (it) => pins.remove(it.pin)),
      revoke_app: act('owners', 'Remove the app from an account', { account: owner }, (it) =>
        login.tokens.revoke(it.account.id),
      ),
      consent: login.consent.act((words) => words),
      ...worldActs(world, codeAndMessage('0', 'Ordered')),
    },
    groups: { visitors: 'What people do', owners: 'What owners do', twin: 'How Pinterest behaves' },
  };
}
