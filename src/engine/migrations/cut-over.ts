import type { AccountRow } from '#db/access/accounts.ts';
import type { PageRow } from '#db/access/pages.ts';
import type { MigrationSource } from '#db/schema/database.ts';
import { destinationOf, type AssessDeps } from './assess.ts';
import type { Provider } from './provider.ts';

/** Treats spellings as equal: `@Name`, `name`, `https://www.Name/` and `http://name`. */
const plain = (handle: string): string =>
  handle
    .trim()
    .toLowerCase()
    .replace(/^https?:\/\/(?:www\.)?/, '')
    .replace(/[?#].*$/, '')
    .replace(/\/+$/, '')
    .replace(/^@/, '');

/** How many of a provider's accounts are connected here, as accounts or active pages. */
export function countCutOver(
  deps: Pick<AssessDeps, 'platforms'>,
  provider: Provider,
  { accounts: listed }: MigrationSource,
  { accounts, pages }: Readonly<{ accounts: readonly AccountRow[]; pages: readonly PageRow[] }>,
): number {
  const pagesOf = Map.groupBy(
    pages.filter(({ is_active }) => is_active === 1),
    ({ account_id }) => account_id,
  );
  const here = new Set(
    accounts.flatMap((account) => {
      const { platform, platform_user_id, username, name, profile_url } = account;
      const ofPages = (pagesOf.get(account.id) ?? []).flatMap(({ platform_page_id, name: title, facts }) => [
        platform_page_id,
        title,
        facts.username,
        facts.link,
      ]);
      return [platform_user_id, username, name, profile_url, ...ofPages].flatMap((handle) =>
        handle ? [`${platform} ${plain(handle)}`] : [],
      );
    }),
  );
  return listed.filter((account) => {
    const destination = destinationOf(deps, provider, account);
    return account.handles.some((handle) => here.has(`${destination} ${plain(handle)}`));
  }).length;
}
