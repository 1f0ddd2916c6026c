/** The people of a Graph simulator as choices for actions, and what owners do with their accounts. */
import { PageError } from '../../forms.ts';
import { actsIn, byName, maybe, offered, pick, short, text, wordsIn, type Acts } from '../../kit/acts.ts';
import { fileField } from '../../kit/action-fields.ts';
import type { Message } from '../docs.ts';
import { mediumOf } from '../media/medium.ts';
import type { OAuth } from '../oauth/oauth.ts';
import { TASKS } from './people.ts';
import type { GraphWorld } from '../world.ts';

export const GROUPS = Object.freeze({
  follower: 'What followers do',
  page: 'What the people of a Page do without the app',
  owner: 'What owners do with their accounts',
  twin: 'What the network does',
});

export function makeCast({ people, nodes, store, fetching }: GraphWorld) {
  /** A file at a URL, downloaded before the action runs. */
  const file = (label: string) => fileField(fetching, label);
  function nameOf({ parent_id, page_id, from_page, text: words, pieces }: Message): string {
    const other = people.byId(nodes.get('thread', parent_id)?.parent_id ?? '')?.name;
    const names = [people.page(page_id)?.name, other];
    const [from, to] = from_page ? names : names.toReversed();
    return `${from} to ${to}: ${short(words ?? pieces.map(({ type }) => type).join(', '))}`;
  }
  const messages = () => offered(nodes.list('message'), nameOf);

  return Object.freeze({
    act: actsIn(store),
    follower: pick('Who', 'person', people.find, () => byName(people.followers())),
    owner: pick('Who', 'person', people.find, () => byName(people.owners())),
    page: pick('Page', 'Page', people.findPage, () => byName(people.pages())),
    message: pick('Message', 'message', (id) => nodes.get('message', id), messages),
    file,
    /** The same file, as the media of a post. */
    media: (label: string) => ({
      ...file(label),
      async read(url: string | undefined) {
        const blob = await file(label).read(url);
        return blob === undefined ? [] : [mediumOf(blob)];
      },
    }),
  });
}

export function ownerActs(world: GraphWorld, oauth: Pick<OAuth, 'remove'>): Acts {
  const { nodes, people, pushes } = world;
  const { act, owner: person } = makeCast(world);

  return {
    revoke_app: act('owner', 'Remove the app from an account', { person }, ({ person: { id } }) => {
      if (nodes.get('grant', id) === undefined) throw new PageError(404, 'The app has no access to this account.');
      oauth.remove(id);
      pushes.announce('deauthorize', id);
    }),
    delete_data: act('owner', 'Ask the app to delete the data', { person }, ({ person: { id } }) =>
      pushes.announce('data_deletion', id),
    ),
    change_password: act('owner', 'Change the password', { person }, ({ person: { id } }) => people.endSessions(id)),
  };
}

export function pageOwnerActs(world: GraphWorld): Acts {
  const { people } = world;
  const { act, owner: person, page } = makeCast(world);
  const tasks = maybe(`Tasks, of ${TASKS.join(', ')}; none named means all`);
  return {
    remove_page: act('owner', 'Lose the role on a Page', { person, page }, (by) =>
      people.setRole(by.person.id, by.page.id, []),
    ),
    set_tasks: act('owner', 'Have other tasks on a Page', { person, page, tasks }, (by) =>
      people.setRole(by.person.id, by.page.id, wordsIn(by.tasks) ?? TASKS),
    ),
    add_page: act('owner', 'Open a Page', { person, name: text('Name') }, (by) => people.addPage(by.person, by.name)),
  };
}
