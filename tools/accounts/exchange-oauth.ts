import { z } from 'zod';
import { answer } from '#call/context.ts';
import { defineTool } from '#call/tool.ts';
import { freeForm } from '../fields.ts';
import type { Exchanged } from '#engine/accounts/oauth-callback.ts';
import type { Module } from '../modules.ts';
import { Connection, PendingConnection } from './account.ts';

export const exchangeOauth = defineTool({
  name: 'exchange_oauth',
  summary: 'Finish a connection with the authorization code that the platform sent to you.',
  http: { method: 'POST', path: '/oauth/exchange', status: 201, also: [200] },
  effect: 'create',
  act: 'connect',
  openWorld: true,
  access: { scope: 'accounts:manage' },
  needs: 'exchange of a code',
  input: z.object({
    code: z.string().trim().min(1).max(4096).describe('The authorization code.'),
    platform: z.string().min(1).max(32).optional().describe('Platform slug; not with state.'),
    state: z.string().max(512).optional().describe('state returned by connect_account.'),
    brand_id: z.string().min(1).max(128).optional().describe('Brand of the account; default: a new one.'),
    metadata: freeForm(
      z
        .object({ redirect_uri: z.string().max(2048).optional(), state: z.string().max(512).optional() })
        .catchall(z.unknown()),
    )
      .optional()
      .describe('redirect_uri of the code; state.'),
  }),
  output: z.looseObject({ ...Connection.partial().shape, ...PendingConnection.partial().shape }),
  errors: [
    'account.unsupported_platform',
    'account.already_linked',
    'account.different_login',
    'auth.oauth.invalid_redirect',
    'auth.state_mismatch',
    'brand.not_found',
    'brand.limit_reached',
    'billing.profile_units_limit',
    'billing.platform_not_available',
    'byok.credentials_missing',
    'byok.credentials_invalid',
    'byok.credentials_forbidden',
    'resource.conflict',
    'resource.not_supported',
    'platform.*',
    'platform.*.no_pages',
    'platform.*.no_locations',
    'platform.*.no_channels',
  ],
  async run(input, { authority, workspace }, { accounts }: Module<'accounts'>) {
    const { status, body } = await accounts.exchange(authority, workspace, {
      code: input.code,
      platform: input.platform,
      state: input.state ?? input.metadata?.state,
      brandId: input.brand_id,
      redirect_uri: input.metadata?.redirect_uri,
      metadata: input.metadata ?? {},
    });
    return answer(body, { status });
  },
  resume: async ({ status, body }: Exchanged) => answer(body, { status }),
});
