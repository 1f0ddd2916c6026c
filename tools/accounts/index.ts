import { toolset } from '#call/tool.ts';
import { connectAccount } from './connect-account.ts';
import { disconnectAccount } from './disconnect-account.ts';
import { exchangeOauth } from './exchange-oauth.ts';
import { getOauthUrl } from './get-oauth-url.ts';
import { getPendingConnection } from './get-pending-connection.ts';
import { listAccounts } from './list-accounts.ts';
import { selectPendingProfile } from './select-pending-profile.ts';
import { getAccountLimits } from './get-account-limits.ts';
import { getCreatorInfo } from './get-creator-info.ts';
import { listAccountPages } from './list-account-pages.ts';
import { syncAccount } from './sync-account.ts';
import { updateAccountPage } from './update-account-page.ts';

export const accounts = toolset(
  'accounts',
  'Accounts',
  'Connected social accounts: connecting, listing, disconnecting.',
  [
    listAccounts,
    connectAccount,
    exchangeOauth,
    getOauthUrl,
    getPendingConnection,
    selectPendingProfile,
    disconnectAccount,
    syncAccount,
    listAccountPages,
    updateAccountPage,
    getCreatorInfo,
    getAccountLimits,
  ],
);
