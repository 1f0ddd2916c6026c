import type { JSX } from 'preact';
import { filledIn } from '../lib/forms.tsx';
import { AddressField } from '../lib/webhooks/address-field.tsx';
import { EventsField } from '../lib/webhooks/events-field.tsx';
import type { makeWebhook } from './model.ts';

type EditProps = Readonly<{ model: ReturnType<typeof makeWebhook> }>;

/** The form for the URL and the events of an endpoint. */
export function Edit({ model }: EditProps): JSX.Element {
  const problem = model.problem.value;
  return (
    <details id="edit">
      <summary>Change the address or the events</summary>
      <form
        class="card"
        onSubmit={(event) => {
          event.preventDefault();
          void model.edit(filledIn(event.currentTarget)['url'] ?? '');
        }}
      >
        <AddressField hint="*** stands for the stored user and password." defaultValue={model.endpoint.value.url} />
        <EventsField choosing={model.choosing} legend="Events" />
        <p class="bad" role="alert">
          {problem}
        </p>
        <button class="primary" aria-disabled={model.isBusy.value}>
          Save
        </button>
      </form>
    </details>
  );
}
