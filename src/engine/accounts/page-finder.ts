import type { AccountRow } from '#db/access/accounts.ts';
import { defaultPage, pageNamed, pagesOf, type PageRow } from '#db/access/pages.ts';
import type { Store } from '#db/store/store.ts';
import type { PageChoice, PageFinder } from '#call/ports.ts';
import { fail } from '#kernel/errors.ts';

export function makePageFinder({ store }: Readonly<{ store: Store }>): PageFinder {
  async function among(accounts: readonly AccountRow[]): Promise<PageChoice> {
    const ids = accounts.map(({ id }) => id);
    const pages = Map.groupBy(await pagesOf(store.db, ids), ({ account_id }) => account_id);
    return (account, named) => choose(account, pages.get(account.id) ?? [], named);
  }

  return Object.freeze<PageFinder>({
    among,
    resolve: async (account, named) => (await among([account]))(account, named),
  });
}

function choose({ id }: AccountRow, pages: readonly PageRow[], named: string | undefined): PageRow {
  if (named === undefined) return defaultPage(pages) ?? fail('account.no_active_page', { meta: { id } });
  const page = pageNamed(pages, named);
  if (!page) {
    fail('resource.not_found', {
      message: `This account has no page ${named}.`,
      meta: { resource: 'page', id: named, field: 'page_id' },
    });
  }
  if (page.is_active === 0) fail('account.page_inactive', { meta: { id, field: 'page_id' } });
  return page;
}
