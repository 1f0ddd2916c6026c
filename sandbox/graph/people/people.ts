import type { Clock } from '#kernel/clock.ts';
import type { Store } from '../../store.ts';
import type { DocStore } from '../../kit/docs.ts';
import { fixedId } from '../../kit/ids.ts';
import { makePeople } from '../../kit/people.ts';
import { FOLLOWERS } from '../../kit/residents.ts';
import type { GraphDocs, Page, Person } from '../docs.ts';

export const TASKS = Object.freeze(['ADVERTISE', 'ANALYZE', 'CREATE_CONTENT', 'MANAGE', 'MESSAGING', 'MODERATE']);

/** The people of a new simulator: owners with their Pages, and others who write to them. */
export type Residents = Readonly<{
  owners: readonly (readonly [string, string, readonly string[]])[];
  /** By default the followers that every network has. */
  followers?: readonly (readonly [string, string])[];
  /** The prefix before the 16 digits of people's ids. */
  start?: string;
  pageId?(username: string): string;
}>;

export type People = ReturnType<typeof openPeople>;

const usernameOf = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '.');

/** The simulator's people and Pages. Each Page sees a different id for the same person. */
export function openPeople(
  { slug, store, clock }: Readonly<{ slug: string; store: Store; clock: Clock }>,
  nodes: DocStore<GraphDocs>,
  residents: Residents,
) {
  const { scopedId: psid, byScopedId: byPsid, ...people } = makePeople<Person>(nodes, slug, clock, residents.start);

  function setRole(person: string, page: string, tasks: readonly string[]): void {
    const id = `role ${person} ${page}`;
    if (tasks.length === 0) nodes.remove('role', id);
    else nodes.put('role', { id, at: clock.now(), page_id: page, parent_id: person, tasks });
  }
  function addPage(owner: Person, name: string, username = usernameOf(name)): Page {
    const id = residents.pageId?.(username) ?? fixedId(slug, 'page', name);
    const page =
      nodes.get('page', id) ??
      nodes.put('page', {
        id,
        at: clock.now(),
        name,
        username,
        category: 'Local business',
        about: `${name} of the sandbox`,
      });
    setRole(owner.id, id, TASKS);
    return page;
  }

  function restore(): void {
    for (const [handle, name, pages] of residents.owners) {
      const owner = people.add(handle, name, true);
      for (const page of pages) addPage(owner, page);
    }
    for (const [handle, name] of residents.followers ?? FOLLOWERS) people.add(handle, name, false);
    for (const { id, unavailable } of people.all())
      if (unavailable === true) nodes.change('person', id, { unavailable: false });
  }
  if (people.all().length === 0) store.write(restore);

  return Object.freeze({
    ...people,
    psid,
    byPsid,
    addPage,
    pages: () => nodes.list('page'),
    page: (id: string) => nodes.get('page', id),
    findPage: (words: string) =>
      nodes.list('page').find(({ id, name, username }) => [id, name, username].includes(words)),
    role: (person: string, page: string) => nodes.get('role', `role ${person} ${page}`),
    rolesOf: (person: string) => nodes.list('role', { parent: person }),
    setRole,
    restore,
  });
}
