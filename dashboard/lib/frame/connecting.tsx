import type { JSX } from 'preact';
import { WHO_CONNECTS } from '#kernel/people/sentences.ts';
import { may } from './may.ts';

/** Whether the person may connect accounts. */
export const canConnect = may('connect_account');

/** The link to connect an account, or who does that. */
export const Connecting = ({ class: kind }: Readonly<{ class?: string }>): JSX.Element =>
  canConnect ? (
    <a class={kind} href="/dashboard/accounts#connect">
      Connect an account
    </a>
  ) : (
    <span>{WHO_CONNECTS}</span>
  );
