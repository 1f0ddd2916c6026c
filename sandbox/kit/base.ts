/** The base of every simulator, and the views of its people and posts. */
import type { Html } from '../html.ts';
import type { SandboxPost, Twin, TwinAbout } from '../twin.ts';
import { openOrders } from './api/orders.ts';
import { openRates } from './api/rates.ts';
import { docFields } from './action-fields.ts';
import { isLive, openDocs, type Docs, type DocStore, type Kinds } from './docs.ts';
import { makeFetching } from './fetching.ts';
import { openFiles, type Blob } from './files.ts';
import { hostBelow, type TwinOptions } from './options.ts';
import { makePeople, personView, postView, type Person, type Version } from './people.ts';
import { openSettings, type Defaults } from './settings.ts';

type Common = { person: Person; blob: Blob };

/**
 * Opens what every simulator stores: documents, files, people, settings and more. `start` prefixes people's ids.
 */
export function openBase<D extends Common & Kinds<D>, S extends Defaults, E>(
  options: TwinOptions,
  { slug, prefix }: Pick<TwinAbout, 'slug' | 'prefix'>,
  own: Readonly<{ settings: S; userAgent: string; newId(): string; start?: string }>,
) {
  const { store, clock, rootUrl, webUrl } = options;
  const docs: Docs<D> = openDocs<D>(store, prefix);
  const common = docs as unknown as DocStore<Common>;
  const settings = openSettings(store, prefix, own.settings);
  const orders = openOrders<E>(store, prefix);
  const rates = openRates(clock);
  const files = openFiles(store, prefix, { nodes: common, clock, newId: own.newId });
  return Object.freeze({
    options,
    docs,
    pickDoc: docFields<D>(docs),
    people: makePeople<Person>(common, slug, clock, own.start),
    settings,
    defaults: own.settings,
    orders,
    rates,
    files,
    fetching: makeFetching(options, files, { network: slug, userAgent: own.userAgent }),
    /** The URL of an area for browsers; `apiHost` is the one for programs. */
    webHost: (area: string) => hostBelow(webUrl, slug, area),
    apiHost: (area: string) => hostBelow(rootUrl, slug, area),
    /** Resets the simulator, keeping people and the named kinds. Inside a transaction. */
    reset(...kept: readonly (keyof D & string)[]) {
      docs.keepOnly(['person', ...kept]);
      files.reset();
      settings.reset();
      orders.reset();
      rates.reset();
    },
  });
}

type Posted = Readonly<{ id: string; versions: readonly Version[]; deleted_at?: number }>;

export function peopleParts<P extends Posted>(
  slug: string,
  people: ReturnType<typeof makePeople<Person>>,
  { store }: Pick<TwinOptions, 'store'>,
  own: Readonly<{
    history(person: Person): readonly P[];
    text(post: P): string;
    /** The post's URL or path. */
    place(post: P): string;
    /** Whether the post still exists; by default until it is deleted. */
    exists?(post: P): boolean;
    /** What the person is for, as the console says it. */
    part(person: Person): Html;
    find?(words: string): string | undefined;
    added?(person: Person): void;
  }>,
): Pick<Twin, 'people' | 'cast' | 'find' | 'addPerson'> & Readonly<{ posts(words: string): readonly SandboxPost[] }> {
  function posted(person: Person, post: P): SandboxPost {
    const { id, versions } = post;
    const { pathname, search } = new URL(own.place(post), 'http://sandbox');
    const exists = own.exists?.(post) ?? isLive(post);
    return postView(slug, person, { id, text: own.text(post), exists, path: `${pathname}${search}`, versions });
  }
  const viewOf = (person: Person) => personView(slug, person, { posts: own.history(person).length });
  const find = (words: string) => people.find(words)?.id ?? own.find?.(words);
  return Object.freeze({
    people: () => people.owners().map(viewOf),
    cast: () =>
      people.all().map((one) => ({ handle: one.handle, name: one.name, path: undefined, part: own.part(one) })),
    find,
    addPerson: (handle: string, name: string) =>
      store.write(() => {
        const person = people.add(handle, name, true);
        own.added?.(person);
        return viewOf(person);
      }),
    posts(words: string) {
      const person = people.byId(find(words) ?? '');
      return person === undefined ? [] : own.history(person).map((post) => posted(person, post));
    },
  });
}
