import { signal } from '@preact/signals';
import type { JSX } from 'preact';

const isOffline = signal(!navigator.onLine);
addEventListener('offline', () => void (isOffline.value = true));
addEventListener('online', () => void (isOffline.value = false));

/** How often in a row the server was not reached. The first time may be a restart, so it is not shown. */
const misses = signal(0);
/** Takes note of whether the server was reached. */
export const reached = (isReached: boolean): void => void (misses.value = isReached ? 0 : misses.value + 1);

function words(): string | undefined {
  if (isOffline.value) {
    return 'You are offline: nothing is sent. What you write stays here; press again once you are back.';
  }
  return misses.value > 1 ? 'No connection to the server. Trying again … What you write stays here.' : undefined;
}

/** Warns while the browser is offline or the server does not answer, so that no action reaches it. */
export function Offline(): JSX.Element {
  const text = words();
  return <div role="status">{text !== undefined && <p class="note offline">{text}</p>}</div>;
}
