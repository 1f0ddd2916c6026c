import { usernamesOf } from '#db/access/accounts.ts';
import type { Db } from '#db/store/tx.ts';
import type { Authority } from '#kernel/authority.ts';
import { platformFor, type Platforms } from '#platforms/lookup.ts';
import { shortNames } from './account-names.ts';

/** The byte order mark by which spreadsheets recognise UTF-8. */
const MARK = '\uFEFF';

/** Makes CSV files to fill in, with a header and a row for each account that can publish. */
export function makeImportTemplate({ db, platforms }: Readonly<{ db: Db; platforms: Platforms }>) {
  return async function importTemplate(authority: Authority, columns: readonly string[]): Promise<string> {
    const accounts = await usernamesOf(db, authority, [...platforms.keys()]);
    const names = shortNames(accounts);
    const open = accounts.flatMap((account, index) =>
      account.status === 'active' && platformFor(platforms, account)?.posts ? [names[index]!] : [],
    );
    const rows = open.map((name) => columns.map((column) => (column === 'account_ids' ? cellOf(name) : '')));
    return MARK + [columns, ...rows].map((cells) => `${cells.join(',')}\r\n`).join('');
  };
}

const cellOf = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
