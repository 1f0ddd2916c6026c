import { toolset } from '../../src/call/tool.ts';
import { connectAccount } from './connect-account.ts';
import { disconnectAccount } from './disconnect-account.ts';
import { getOauthUrl } from './get-oauth-url.ts';
import { listAccounts } from './list-accounts.ts';

export const accounts = toolset(
  'accounts',
  'Accounts',
  'Connected social accounts: connecting, listing, disconnecting.',
  [listAccounts, connectAccount, getOauthUrl, disconnectAccount],
);
