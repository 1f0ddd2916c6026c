import type { Clock } from '../../kernel/clock.ts';
import type { Store } from '../store.ts';
import type { DocStore } from '../kit/docs.ts';
import { fixedId } from '../kit/ids.ts';
import type { GraphDocs, Page, Person, Role } from './docs.ts';

export const TASKS = Object.freeze(['ADVERTISE', 'ANALYZE', 'CREATE_CONTENT', 'MANAGE', 'MESSAGING', 'MODERATE']);

/** Who lives on every new twin, by handle and name: owners with the names of their Pages, and people who write to them. */
export type Residents = Readonly<{
  owners: readonly (readonly [string, string, readonly string[]])[];
  followers: readonly (readonly [string, string])[];
}>;

export type People = Readonly<{
  owners(): readonly Person[];
  followers(): readonly Person[];
  /** By handle, name or id. */
  find(words: string): Person | undefined;
  byId(id: string): Person | undefined;
  add(handle: string, name: string, owner: boolean): Person;
  addPage(owner: Person, name: string): Page;
  pages(): readonly Page[];
  page(id: string): Page | undefined;
  /** By name, username or id. */
  findPage(words: string): Page | undefined;
  role(person: string, page: string): Role | undefined;
  rolesOf(person: string): readonly Role[];
  setRole(person: string, page: string, tasks: readonly string[]): void;
  /** A changed password ends every session at once; the app only learns of it by trying. */
  endSessions(person: string): Person;
  /** Gives the residents back what they have on a new twin. */
  restore(): void;
  /** The id a person has for one Page alone. */
  psid(page: string, person: string): string;
  byPsid(page: string, psid: string): Person | undefined;
}>;

const usernameOf = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '.');

/** The people and Pages of the twin. */
export function openPeople(
  { slug, store, clock }: Readonly<{ slug: string; store: Store; clock: Clock }>,
  nodes: DocStore<GraphDocs>,
  residents: Residents,
): People {
  const all = () => nodes.list('person');

  function add(handle: string, name: string, owner: boolean): Person {
    const id = fixedId(slug, 'person', handle);
    return nodes.get('person', id) ?? nodes.put('person', { id, at: clock.now(), handle, name, owner, session_no: 0 });
  }
  function setRole(person: string, page: string, tasks: readonly string[]): void {
    const id = `role ${person} ${page}`;
    if (tasks.length === 0) nodes.remove('role', id);
    else nodes.put('role', { id, at: clock.now(), page_id: page, parent_id: person, tasks });
  }
  function addPage(owner: Person, name: string): Page {
    const id = fixedId(slug, 'page', name);
    const page =
      nodes.get('page', id) ??
      nodes.put('page', {
        id,
        at: clock.now(),
        name,
        username: usernameOf(name),
        category: 'Local business',
        about: `${name} of the sandbox`,
      });
    setRole(owner.id, id, TASKS);
    return page;
  }

  function restore(): void {
    for (const [handle, name, pages] of residents.owners) {
      const owner = add(handle, name, true);
      for (const page of pages) addPage(owner, page);
    }
    for (const [handle, name] of residents.followers) add(handle, name, false);
    for (const { id, unavailable } of all())
      if (unavailable === true) nodes.change('person', id, { unavailable: false });
  }
  if (all().length === 0) store.write(restore);

  const psid = (page: string, person: string) => fixedId(slug, 'psid', page, person);
  return Object.freeze({
    owners: () => all().filter(({ owner }) => owner),
    followers: () => all().filter(({ owner }) => !owner),
    find: (words: string) => all().find(({ id, handle, name }) => [id, handle, name].includes(words)),
    byId: (id: string) => nodes.get('person', id),
    add,
    addPage,
    pages: () => nodes.list('page'),
    page: (id: string) => nodes.get('page', id),
    findPage: (words: string) =>
      nodes.list('page').find(({ id, name, username }) => [id, name, username].includes(words)),
    role: (person: string, page: string) => nodes.get('role', `role ${person} ${page}`),
    rolesOf: (person: string) => nodes.list('role', { parent: person }),
    setRole,
    endSessions: (person: string) =>
      store.write(() =>
        nodes.change('person', person, { session_no: (nodes.get('person', person)?.session_no ?? 0) + 1 }),
      ),
    restore,
    psid,
    byPsid: (page: string, wanted: string) => all().find(({ id }) => psid(page, id) === wanted),
  });
}
