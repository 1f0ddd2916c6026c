import { signal } from '@preact/signals';
import type { JSX } from 'preact';

const isOffline = signal(!navigator.onLine);
addEventListener('offline', () => void (isOffline.value = true));
addEventListener('online', () => void (isOffline.value = false));

/** Warns that the browser is offline, so that no action reaches the server. */
export function Offline(): JSX.Element {
  return (
    <div role="status">
      {isOffline.value && (
        <p class="note offline">
          You are offline: nothing is sent. What you write stays here; press again once you are back.
        </p>
      )}
    </div>
  );
}
