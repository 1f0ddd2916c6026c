import { isoTime, type Clock } from '#kernel/clock.ts';
import type { SandboxPerson, SandboxPost } from '../twin.ts';
import type { Doc, DocStore } from './docs.ts';
import { fixedId } from './ids.ts';

/** Somebody with an account. Owners can be connected to the app; others can be played in the console. */
export type Person = Doc &
  Readonly<{
    handle: string;
    name: string;
    owner: boolean;
    /** Goes up with each new password, which invalidates older tokens. */
    session_no: number;
  }>;

/** One event in the history of a post. */
export type Version = Readonly<{ action: 'create' | 'update' | 'delete'; at: number; record: unknown }>;

/** A simulator's people. Ids derive from handles; some networks give a person a separate id per account. */
export function makePeople<P extends Person>(
  nodes: DocStore<{ person: P }>,
  slug: string,
  clock: Clock,
  /** Starts every id, to make it longer than a JSON number can hold exactly. */
  start = '',
) {
  const all = () => nodes.list('person');
  const byId = (id: string) => nodes.get('person', id);
  const scopedId = (scope: string, person: string) => fixedId(slug, 'psid', scope, person);
  return Object.freeze({
    all,
    byId,
    owners: () => all().filter(({ owner }) => owner),
    followers: () => all().filter(({ owner }) => !owner),
    find: (words: string) => all().find(({ id, handle, name }) => [id, handle, name].includes(words)),
    add(handle: string, name: string, owner: boolean): P {
      const id = `${start}${fixedId(slug, 'person', handle)}`;
      // The fields that a network adds to people are all optional.
      const made = { id, at: clock.now(), handle, name, owner, session_no: 0 } as P;
      return byId(id) ?? nodes.put('person', made);
    },
    /** Ends every session, as a new password does; the app notices only at its next call. */
    endSessions: (person: string) =>
      nodes.change('person', person, { session_no: (byId(person)?.session_no ?? 0) + 1 } as Partial<P>),
    /** The person's id for one account, on networks that have separate ids. */
    scopedId,
    byScopedId: (scope: string, wanted: string) => all().find(({ id }) => scopedId(scope, id) === wanted),
  });
}

/** A person who can be connected, with the credentials for a connect form. */
export const personView = (
  network: string,
  { id, handle, name }: Pick<Person, 'id' | 'handle' | 'name'>,
  more: Readonly<{ posts: number; commits?: number; credentials?: Readonly<Record<string, string>> }>,
): SandboxPerson => ({ network, id, handle, display_name: name, credentials: {}, commits: 0, ...more });

export const postView = (
  network: string,
  person: Pick<Person, 'handle'>,
  post: Readonly<{ id: string; text: string; exists: boolean; path: string; versions: readonly Version[] }>,
): SandboxPost => ({
  network,
  person: person.handle,
  uri: post.id,
  rkey: post.id,
  exists: post.exists,
  text: post.text,
  path: post.path,
  versions: post.versions.map(({ action, at, record }) => ({
    action,
    cid: undefined,
    rev: post.id,
    at: isoTime(at),
    record,
  })),
});
