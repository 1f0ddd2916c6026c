import { listPages } from '../../../db/pages.ts';
import type { Store } from '../../../db/store.ts';
import type { PageFinder } from '../../call/ports.ts';
import { fail } from '../../kernel/errors.ts';

/** Finds the page of an account that something is about. */
export function makePageFinder({ store }: Readonly<{ store: Store }>): PageFinder {
  return Object.freeze<PageFinder>({
    async resolve(account, named) {
      const pages = await listPages(store.db, account.id);
      if (named === undefined) {
        const active = pages.filter(({ is_active }) => is_active === 1);
        const chosen = active.find(({ is_default }) => is_default === 1) ?? active[0];
        return chosen ?? fail('account.no_active_page', { meta: { id: account.id } });
      }
      const page = pages.find(({ id, platform_page_id }) => id === named || platform_page_id === named);
      if (!page) {
        fail('resource.not_found', {
          message: `This account has no page ${named}.`,
          meta: { resource: 'page', id: named, field: 'page_id' },
        });
      }
      if (page.is_active === 0) fail('account.page_inactive', { meta: { id: account.id, field: 'page_id' } });
      return page;
    },
  });
}
