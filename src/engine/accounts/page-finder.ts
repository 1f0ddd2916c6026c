import { defaultPage, listPages, pageNamed } from '../../../db/pages.ts';
import type { Store } from '../../../db/store.ts';
import type { PageFinder } from '../../call/ports.ts';
import { fail } from '../../kernel/errors.ts';

/** Finds the page of an account that something is about. */
export function makePageFinder({ store }: Readonly<{ store: Store }>): PageFinder {
  return Object.freeze<PageFinder>({
    async resolve(account, named) {
      const pages = await listPages(store.db, account.id);
      if (named === undefined) {
        return defaultPage(pages) ?? fail('account.no_active_page', { meta: { id: account.id } });
      }
      const page = pageNamed(pages, named);
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
