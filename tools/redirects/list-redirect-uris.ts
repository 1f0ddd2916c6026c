import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { pageShape, wholeList } from '../fields.ts';
import type { Module } from '../modules.ts';
import { RedirectUri } from './redirect-uri.ts';

export const listRedirectUris = defineTool({
  name: 'list_redirect_uris',
  summary: 'List the addresses to which connecting may redirect; if there are none, any address is allowed.',
  http: { method: 'GET', path: '/oauth/redirect-uris' },
  effect: 'read',
  access: { dashboard: true },
  input: z.object({ ...wholeList }),
  output: z.looseObject({ count: z.int(), data: z.array(RedirectUri), ...pageShape }),
  errors: [],
  async run(page, { authority }, { redirects, lists }: Module<'redirects' | 'lists'>) {
    return lists.whole(page, { name: 'redirect_uris', given: {}, read: () => redirects.list(authority) });
  },
});
