import type { Clock } from '#kernel/clock.ts';
import { isoTime } from '#kernel/clock.ts';
import type { SandboxPerson, SandboxPost } from '../twin.ts';
import type { Doc, DocStore } from './docs.ts';
import { fixedId } from './ids.ts';

/** Somebody with an account. Owners can connect it to the app; everybody else is there to be played. */
export type Person = Doc &
  Readonly<{
    handle: string;
    name: string;
    owner: boolean;
    /** Goes up when the password is changed; tokens of an older one are dead. */
    session_no: number;
  }>;

/** One thing a post has been through. */
export type Version = Readonly<{ action: 'create' | 'update' | 'delete'; at: number; record: unknown }>;

/** The people of a twin. Their ids follow from their handles, and some networks give one per account they deal with. */
export function makePeople<P extends Person>(
  nodes: DocStore<{ person: P }>,
  slug: string,
  clock: Clock,
  /** What ids begin with; a digit more than usual makes them longer than a JSON number can hold exactly. */
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
    /** By handle, name or id. */
    find: (words: string) => all().find(({ id, handle, name }) => [id, handle, name].includes(words)),
    add(handle: string, name: string, owner: boolean): P {
      const id = `${start}${fixedId(slug, 'person', handle)}`;
      // What else a network knows of its people is optional.
      const made = { id, at: clock.now(), handle, name, owner, session_no: 0 } as P;
      return byId(id) ?? nodes.put('person', made);
    },
    /** A changed password ends every session at once; the app only learns of it by trying. */
    endSessions: (person: string) =>
      nodes.change('person', person, { session_no: (byId(person)?.session_no ?? 0) + 1 } as Partial<P>),
    /** The id a person has for one account alone. */
    scopedId,
    byScopedId: (scope: string, wanted: string) => all().find(({ id }) => scopedId(scope, id) === wanted),
  });
}

/** A person as the sandbox names those who can be connected; credentials are what a connect form asks for. */
export const personView = (
  network: string,
  { id, handle, name }: Pick<Person, 'id' | 'handle' | 'name'>,
  more: Readonly<{ posts: number; commits?: number; credentials?: Readonly<Record<string, string>> }>,
): SandboxPerson => ({ network, id, handle, display_name: name, credentials: {}, commits: 0, ...more });

/** A post with its past, as the sandbox names it. */
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
