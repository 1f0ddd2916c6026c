import { signal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import type { SignedIn } from './session.ts';

const isOffline = signal(!navigator.onLine);
addEventListener('offline', () => void (isOffline.value = true));
addEventListener('online', () => void (isOffline.value = false));

/** How often in a row the server was not reached. The first time may be a restart, so it is not shown. */
const misses = signal(0);
/** Takes note of whether the server was reached. */
export const reached = (isReached: boolean): void => void (misses.value = isReached ? 0 : misses.value + 1);

const signedIn = signal<SignedIn>('the same');
/** Shows who is signed in if that is not the person of the page. */
export const showSignedIn = (who: SignedIn): void => void (signedIn.value = who);
/** The address of sign-in, which returns to this page. */
export const signInAddress = (): string => `/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`;

function words(): ComponentChildren {
  if (isOffline.value) {
    return 'You are offline: nothing is sent. What you write stays here; press again once you are back.';
  }
  if (misses.value > 1) return 'No connection to the server. Trying again … What you write stays here.';
  if (signedIn.value === 'the same') return undefined;
  // With somebody else's session, /sign-in would lead to their dashboard.
  const [state, href, action] =
    signedIn.value === 'nobody'
      ? ['You are signed out', '/sign-in', 'Sign in in a new tab']
      : ['Somebody else has signed in in this browser', '/sign-out', 'Sign out and in again in a new tab'];
  return (
    <>
      {state}: nothing is sent. What you write stays here.{' '}
      <a href={href} target="_blank">
        {action}
      </a>
      , then go on here.
    </>
  );
}

/** Warns while the browser is offline, the server does not answer or the session has ended: no action has an effect. */
export function Offline(): JSX.Element {
  const text = words();
  return <div role="status">{text && <p class="note offline">{text}</p>}</div>;
}
