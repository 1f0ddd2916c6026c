import { useState } from 'preact/hooks';
import type { JSX } from 'preact';
import { ZONE } from '../lib/page.ts';
import { instantOf, wallTimeOf } from '../lib/time.ts';
import type { Deliveries } from './deliveries.ts';

const DAY_MS = 86_400_000;

/** The time one day ago, such as 2026-01-31T09:00. */
function yesterday(): string {
  const { day, time } = wallTimeOf(Date.now() - DAY_MS, ZONE);
  return `${day}T${time}`;
}

type AgainProps = Readonly<{ deliveries: Deliveries; isActive: boolean }>;

/** Sends the events since a given time again. */
export function Again({ deliveries, isActive }: AgainProps): JSX.Element {
  const [since, setSince] = useState(yesterday);
  return (
    <section class="card narrow" aria-labelledby="again">
      <h2 id="again">Send again what happened since a time</h2>
      <p class="hint">
        Every event of its choice, oldest first, also what arrived before and what happened while the endpoint was
        paused. Your program must recognise events that it has already seen.
      </p>
      {!isActive && <p class="note">Switch the endpoint on first.</p>}
      <form
        class="fields"
        onSubmit={(event) => {
          event.preventDefault();
          const [day = '', time = ''] = since.split('T');
          void deliveries.replay(instantOf({ day, time: time.slice(0, 5) }, ZONE));
        }}
      >
        <div>
          <label htmlFor="since">Since ({ZONE.replaceAll('_', ' ')})</label>
          <input
            id="since"
            type="datetime-local"
            required
            value={since}
            onInput={({ currentTarget }) => setSince(currentTarget.value)}
          />
        </div>
        <button aria-disabled={deliveries.isBusy.value || !isActive}>
          {deliveries.isBusy.value ? 'Sending …' : 'Send again'}
        </button>
      </form>
    </section>
  );
}
