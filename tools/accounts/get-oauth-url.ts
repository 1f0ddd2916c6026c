import { z } from 'zod';
import { defineTool } from '#call/tool.ts';
import type { Module } from '../modules.ts';
import { connectFields, Connection } from './account.ts';

export const getOauthUrl = defineTool({
  name: 'get_oauth_url',
  summary: 'Get the address where a person connects an account again, or a new account.',
  http: { method: 'GET', path: '/oauth/url' },
  effect: 'create',
  act: 'connect',
  access: { scope: 'accounts:manage' },
  input: z.object({
    account_id: z.string().min(1).max(128).optional().describe('Account to connect again; this or platform.'),
    platform: z.string().min(1).max(32).optional().describe('Platform to connect; this or account_id.'),
    ...connectFields,
  }),
  output: Connection,
  errors: [
    'account.not_found',
    'account.unsupported_platform',
    'auth.oauth.invalid_redirect',
    'brand.not_found',
    'brand.limit_reached',
    'billing.platform_not_available',
    'byok.credentials_missing',
    'resource.not_supported',
    'platform.*',
  ],
  async run(input, { authority, workspace }, { accounts }: Module<'accounts'>) {
    return accounts.oauthUrl(authority, workspace, {
      accountId: input.account_id,
      platform: input.platform,
      brandId: input.brand_id,
      redirect_uri: input.redirect_uri,
      state: input.state,
    });
  },
});
