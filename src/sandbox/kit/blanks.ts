/** The blanks that the acts of most twins have: people, what is kept, and files. */
import { PageError } from '../forms.ts';
import { byName, maybe, offered, pick } from './acts.ts';
import type { Doc } from './docs.ts';
import type { Fetching } from './fetching.ts';
import type { Blob } from './files.ts';
import type { Person } from './people.ts';

const MOST_FILE = 300 * 1024 * 1024;

/** A blank for one of some people, by their handles. */
export const pickPerson = <P extends Person>(
  label: string,
  find: (words: string) => P | undefined,
  all: () => readonly P[],
) => pick(label, 'person', find, () => byName(all().map(({ handle, name }) => ({ id: handle, name }))));

/** A blank for one of the documents that are listed, each offered by its name. */
export const pickDoc = <D extends Doc>(
  label: string,
  list: () => readonly D[],
  nameOf: (doc: D) => string,
  find = (id: string): D | undefined => list().find((doc) => doc.id === id),
) => pick(label, label.toLowerCase(), find, () => offered(list(), nameOf));

/** A file, fetched from its address before anything is written; it may be left out. */
export const fileBlank = ({ media }: Fetching, label = 'Address of a file') => ({
  ...maybe(label),
  async read(url: string | undefined): Promise<Blob | undefined> {
    if (url === undefined) return undefined;
    const blob = await media(url, MOST_FILE);
    if (blob === undefined) throw new PageError(400, 'There is no file at this address.');
    return blob;
  },
});
