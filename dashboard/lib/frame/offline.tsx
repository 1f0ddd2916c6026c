import { signal } from '@preact/signals';
import type { JSX } from 'preact';

const isOffline = signal(!navigator.onLine);
addEventListener('offline', () => void (isOffline.value = true));
addEventListener('online', () => void (isOffline.value = false));

/** Says that nothing that is pressed arrives. */
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
