import { PageError } from '../../forms.ts';
import { maybe, must, newest, short, text, there, wordsIn } from '../../kit/acts.ts';
import type { Act, Acts, Choice, Values } from '../../kit/acts.ts';
import type { Blob } from '../../kit/files.ts';
import type { Page, Person } from '../docs.ts';
import type { OAuth } from '../oauth/oauth.ts';
import { TASKS } from './people.ts';
import type { GraphWorld } from '../world.ts';

const LARGEST = 25 * 1024 * 1024;

export const person = { label: 'Who', kind: 'follower' } as const;
export const page = { label: 'Page', kind: 'page' } as const;
export const message = { label: 'Message', kind: 'message' } as const;

/** The headings of acts on a Graph twin. */
export const GROUPS = Object.freeze({
  follower: 'What followers do',
  page: 'What the people of a Page do without the app',
  owner: 'What owners do with their accounts',
  twin: 'What the network does',
});

/** Reads what was filled in as the people and things of the twin; refuses what is not there. */
export function makeCast({ people, fetching }: Pick<GraphWorld, 'people' | 'fetching'>) {
  return Object.freeze({
    who: (values: Values): Person => there(people.find(must(values, 'person')), 'person'),
    where: (values: Values): Page => there(people.findPage(must(values, 'page')), 'Page'),
    async fileOf(url: string | undefined): Promise<Blob | undefined> {
      if (url === undefined) return undefined;
      const blob = await fetching.media(url, LARGEST);
      if (blob === undefined) throw new PageError(400, 'The file cannot be read from its address.');
      return blob;
    },
  });
}

const named = (all: readonly Readonly<{ id: string; name: string }>[]): readonly Choice[] =>
  all.map(({ id, name }) => ({ value: id, label: name }));

/** What fields of acts may be chosen from on every Graph twin. */
export function castLists({ people, nodes }: GraphWorld): Readonly<Record<string, () => readonly Choice[]>> {
  return {
    page: () => named(people.pages()),
    follower: () => named(people.followers()),
    owner: () => named(people.owners()),
    message: () =>
      newest(nodes.list('message')).map(({ id, parent_id, page_id, from_page, text: words, pieces }) => {
        const other = people.byId(nodes.get('thread', parent_id)?.parent_id ?? '')?.name;
        const names = [people.page(page_id)?.name, other];
        const [from, to] = from_page ? names : names.toReversed();
        return { value: id, label: `${from} to ${to}: ${short(words ?? pieces.map(({ type }) => type).join(', '))}` };
      }),
  };
}

const owner = { label: 'Who', kind: 'owner' } as const;
const act = (title: string, fields: Act['fields'], run: Act['run']): Act => ({
  group: 'owner',
  title,
  fields: { person: owner, ...fields },
  run,
});

/** What owners do with their accounts and the app in the platform's own settings. */
export function ownerActs(world: GraphWorld, oauth: Pick<OAuth, 'remove'>): Acts {
  const { nodes, people, pushes } = world;
  const { who } = makeCast(world);

  return {
    revoke_app: act('Remove the app from an account', {}, (values) => {
      const { id } = who(values);
      if (nodes.get('grant', id) === undefined) throw new PageError(404, 'The app has no access to this account.');
      oauth.remove(id);
      pushes.announce('deauthorize', id);
    }),
    delete_data: act('Ask the app to delete the data', {}, (values) =>
      pushes.announce('data_deletion', who(values).id),
    ),
    change_password: act('Change the password', {}, (values) => people.endSessions(who(values).id)),
  };
}

/** What owners do with their Pages in the platform's own settings. */
export function pageOwnerActs(world: GraphWorld): Acts {
  const { store, people } = world;
  const { who, where } = makeCast(world);
  return {
    remove_page: act('Lose the role on a Page', { page }, (values) =>
      store.write(() => people.setRole(who(values).id, where(values).id, [])),
    ),
    set_tasks: act(
      'Have other tasks on a Page',
      { page, tasks: maybe(`Tasks, of ${TASKS.join(', ')}; none named means all`) },
      (values) =>
        store.write(() => people.setRole(who(values).id, where(values).id, wordsIn(values['tasks']) ?? TASKS)),
    ),
    add_page: act('Open a Page', { name: text('Name') }, (values) =>
      store.write(() => people.addPage(who(values), must(values, 'name'))),
    ),
  };
}
