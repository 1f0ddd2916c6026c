import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import { Done, id } from '../fields.ts';
import type { Module } from '../modules.ts';

export const deleteRedirectUri = defineTool({
  name: 'delete_redirect_uri',
  summary: 'Remove a registered redirect address; if none is left, any address is allowed again.',
  http: { method: 'DELETE', path: '/oauth/redirect-uris/{redirect_uri_id}' },
  effect: 'delete',
  act: 'admin',
  access: { dashboard: true },
  input: z.object({ redirect_uri_id: id('registered address') }),
  output: Done,
  errors: ['resource.not_found'],
  async run({ redirect_uri_id }, { authority }, { redirects }: Module<'redirects'>) {
    return redirects.remove(authority, redirect_uri_id);
  },
});
