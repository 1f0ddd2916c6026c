import { z } from 'zod';
import { answer } from '#call/context.ts';
import { closedToAssistants } from '#call/input.ts';
import { defineTool } from '#call/tool.ts';
import { connectedPlatform, freeForm, withMembers } from '../fields.ts';
import type { Connecting } from '#engine/accounts/connect.ts';
import { credentialMembers, credentialsOf } from './credentials.ts';
import type { Module } from '../modules.ts';
import { connectFields, Connection } from './account.ts';

export const connectAccount = defineTool({
  name: 'connect_account',
  summary:
    'Start connecting a social account: returns the address to send the person to, or the account itself if credentials are given.',
  http: { method: 'POST', path: '/accounts/connect', status: 202, also: [201] },
  effect: 'create',
  act: 'connect',
  openWorld: true,
  access: { scope: 'accounts:manage' },
  input: z.object({
    platform: connectedPlatform,
    ...connectFields,
    metadata: closedToAssistants(
      freeForm(z.object({ redirect_uri: z.string().max(2048).optional() }).catchall(z.unknown()))
        .optional()
        .describe('Credentials, for platforms that use them instead of consent; the login, if there are several.')
        .meta(withMembers(credentialMembers)),
      ({ platform }) => ['redirect_uri', ...credentialsOf(platform)],
    ),
  }),
  output: Connection,
  errors: [
    'account.unsupported_platform',
    'account.already_linked',
    'account.different_login',
    'auth.oauth.invalid_redirect',
    'brand.not_found',
    'brand.limit_reached',
    'billing.profile_units_limit',
    'billing.platform_not_available',
    'byok.credentials_missing',
    'resource.conflict',
    'resource.not_supported',
    'platform.*',
  ],
  async run(input, { authority, workspace }, { accounts }: Module<'accounts'>) {
    const { status, body } = await accounts.start(authority, workspace, {
      platform: input.platform,
      redirect_uri: input.redirect_uri,
      state: input.state,
      brandId: input.brand_id,
      metadata: input.metadata ?? {},
    });
    return answer(body, { status });
  },
  resume: async ({ status, body }: Connecting) => answer(body, { status }),
});
