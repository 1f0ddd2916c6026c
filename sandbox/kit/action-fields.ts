import { PageError } from '../forms.ts';
import { byName, maybe, pick, pickKept, type FieldReader } from './acts.ts';
import { isLive, type Docs, type Kinds } from './docs.ts';
import type { Fetching } from './fetching.ts';
import type { Blob } from './files.ts';
import type { Person } from './people.ts';

const MOST_FILE = 300 * 1024 * 1024;

export const pickPerson = <P extends Person>(
  label: string,
  find: (words: string) => P | undefined,
  all: () => readonly Person[],
) => pick(label, 'person', find, () => byName(all().map(({ handle, name }) => ({ id: handle, name }))));

/** Form fields for documents of one kind: looked up by id, offered in a list by name. */
export const docFields =
  <D extends Kinds<D>>(docs: Docs<D>) =>
  <K extends keyof D & string>(
    kind: K,
    nameOf: (doc: D[K]) => string,
    isOffered: (doc: D[K]) => boolean = isLive,
    label = `${kind[0]!.toUpperCase()}${kind.slice(1)}`,
  ): FieldReader<D[K]> => {
    const find = (id: string) => [docs.get(kind, id)].find((doc) => doc !== undefined && isOffered(doc));
    return pickKept(label, find, () => docs.list(kind).filter(isOffered), nameOf);
  };

/** An optional file, downloaded from its URL before the transaction starts. */
export const fileField = ({ media }: Fetching, label = 'Address of a file') => ({
  ...maybe(label),
  async read(url: string | undefined): Promise<Blob | undefined> {
    if (url === undefined) return undefined;
    const blob = await media(url, MOST_FILE);
    if (blob === undefined) throw new PageError(400, 'There is no file at this address.');
    return blob;
  },
});
