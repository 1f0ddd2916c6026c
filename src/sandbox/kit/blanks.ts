/** The blanks that the acts of most twins have: people, what is kept, and files. */
import { byName, offered, pick, there } from './acts.ts';
import type { Doc } from './docs.ts';
import type { Fetching } from './fetching.ts';
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
export const fileBlank = ({ media }: Fetching) =>
  ({
    label: 'Address of a file',
    kind: 'text',
    optional: true,
    async read(url: string | undefined) {
      return url === undefined ? undefined : there(await media(url, MOST_FILE), 'file');
    },
  }) as const;
