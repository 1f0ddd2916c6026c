import { signal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';

const isOffline = signal(!navigator.onLine);
addEventListener('offline', () => void (isOffline.value = true));
addEventListener('online', () => void (isOffline.value = false));

/** How often in a row the server was not reached. The first time may be a restart, so it is not shown. */
const misses = signal(0);
/** Takes note of whether the server was reached. */
export const reached = (isReached: boolean): void => void (misses.value = isReached ? 0 : misses.value + 1);

const isSignedOut = signal(false);
/** Takes note of whether the session of the page has ended. */
export const signedOut = (isOver: boolean): void => void (isSignedOut.value = isOver);
/** The address of sign-in, which returns to this page. */
export const signInAddress = (): string => `/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`;

function words(): ComponentChildren {
  if (isOffline.value) {
    return 'You are offline: nothing is sent. What you write stays here; press again once you are back.';
  }
  if (misses.value > 1) return 'No connection to the server. Trying again … What you write stays here.';
  return (
    isSignedOut.value && (
      <>
        You are signed out: nothing is sent. What you write stays here.{' '}
        <a href="/sign-in" target="_blank">
          Sign in in a new tab
        </a>
        , then go on here.
      </>
    )
  );
}

/** Warns while the browser is offline, the server does not answer or the session has ended: no action has an effect. */
export function Offline(): JSX.Element {
  const text = words();
  return <div role="status">{text && <p class="note offline">{text}</p>}</div>;
}
