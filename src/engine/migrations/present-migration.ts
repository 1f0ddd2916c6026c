import { listAccounts } from '#db/access/accounts.ts';
import type { MigrationRow } from '#db/providers/migrations.ts';
import { pagesOf } from '#db/access/pages.ts';
import type { Authority } from '#kernel/authority.ts';
import { isoTime } from '#kernel/clock.ts';
import { assess } from './assess.ts';
import { authorisationOf } from './authorisation.ts';
import { countCutOver } from './cut-over.ts';
import type { MigrationsDeps } from './deps.ts';
import type { Provider } from './provider.ts';

const NOT_STARTED = Object.freeze({
  authorisation_version: null,
  created_at: null,
  key_hint: null,
  assessed_at: null,
  found: null,
  failure: null,
  forwarded_calls: 0,
});

export function makeRecords(deps: MigrationsDeps) {
  const { store, rootUrl } = deps;

  async function cutOver(authority: Authority, provider: Provider, { found, network }: MigrationRow): Promise<number> {
    if (found === null) return 0;
    const accounts = (await listAccounts(store.db, authority, {})).filter((account) => account.network === network);
    const pages = await pagesOf(
      store.db,
      accounts.map(({ id }) => id),
    );
    return countCutOver(deps, provider, found, { accounts, pages });
  }

  return async function presentMigration(authority: Authority, provider: Provider, row: MigrationRow | undefined) {
    const { found, failure, ...shown } = row ?? NOT_STARTED;
    return {
      started: row !== undefined,
      authorisation: authorisationOf(provider),
      authorisation_version: shown.authorisation_version,
      authorised_at: isoTime(shown.created_at),
      created_at: isoTime(shown.created_at),
      base_url: row === undefined ? null : `${rootUrl}/migrate/${provider.name}`,
      key_hint: shown.key_hint,
      assessed_at: isoTime(shown.assessed_at),
      assessment: found === null || failure !== null ? null : assess(deps, provider, found),
      assessment_error: failure,
      cut_over: row === undefined ? 0 : await cutOver(authority, provider, row),
      forwarded_calls: shown.forwarded_calls,
    };
  };
}
