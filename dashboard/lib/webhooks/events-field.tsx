import type { JSX } from 'preact';
import type { WebhookEvent } from '../operations.ts';
import type { Choosing } from './choosing.ts';

type EventsFieldProps = Readonly<{ choosing: Choosing; legend: string }>;

export function EventsField({ choosing, legend }: EventsFieldProps): JSX.Element {
  const { groups, catalogue, chosen, turn } = choosing;
  return (
    <fieldset>
      <legend>
        {legend} <span class="count">{chosen.value.size}</span>
      </legend>
      <GroupTick choosing={choosing} events={catalogue} title="All events" />
      <div class="cards">
        {groups.map(({ category, title, events }) => (
          <div key={category} role="group" aria-label={title}>
            <GroupTick choosing={choosing} events={events} title={title} />
            <ul class="indented">
              {events.map(({ event, description }) => (
                <li key={event}>
                  <label class="tick">
                    <input
                      type="checkbox"
                      checked={chosen.value.has(event)}
                      onChange={({ currentTarget }) => turn([{ event }], currentTarget.checked)}
                    />
                    <span>
                      {event}
                      <br />
                      <small>{description}</small>
                    </span>
                  </label>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </div>
    </fieldset>
  );
}

type GroupTickProps = Readonly<{ choosing: Choosing; events: readonly WebhookEvent[]; title: string }>;

function GroupTick({ choosing: { shareOf, turn }, events, title }: GroupTickProps): JSX.Element {
  const share = shareOf(events);
  return (
    <label class="tick">
      <input
        type="checkbox"
        checked={share === 'all'}
        indeterminate={share === 'some'}
        onChange={({ currentTarget }) => turn(events, currentTarget.checked)}
      />
      <strong>{title}</strong>
    </label>
  );
}
