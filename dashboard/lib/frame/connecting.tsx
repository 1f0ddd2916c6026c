import type { JSX } from 'preact';
import { may } from './may.ts';

/** Whether the person may connect accounts. */
export const canConnect = may('connect_account');

/** Says who connects accounts, to people who may not. */
export const WHO_CONNECTS = 'An administrator of this workspace connects accounts.';

/** The link to connect an account, or who does that. */
export const Connecting = ({ class: kind }: Readonly<{ class?: string }>): JSX.Element =>
  canConnect ? (
    <a class={kind} href="/dashboard/accounts#connect">
      Connect an account
    </a>
  ) : (
    <span>{WHO_CONNECTS}</span>
  );
