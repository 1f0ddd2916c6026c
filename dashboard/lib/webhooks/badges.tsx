import type { JSX } from 'preact';
import type { Delivery, WebhookHealth } from '../operations.ts';
import { Badge, Icon } from '../parts.tsx';

/** Whether events are sent to an endpoint. */
export const EndpointState = ({ isActive }: Readonly<{ isActive: boolean }>): JSX.Element =>
  isActive ? <Badge sign="published" word="On" /> : <Badge sign="draft" word="Paused" />;

/** The current state of a delivery. */
export function DeliveryState({ delivery }: Readonly<{ delivery: Delivery }>): JSX.Element {
  switch (delivery.status) {
    case 'delivered':
      return <Badge sign="published" word="Delivered" />;
    case 'failed':
      return <Badge sign="failed" word="Given up" />;
    case 'pending':
      return delivery.attempt_count === 0 ? (
        <Badge sign="scheduled" word="Waiting" />
      ) : (
        <Badge sign="partial" word="Trying again" />
      );
  }
}

type HealthProps = Readonly<{ health: WebhookHealth }>;

/** How many deliveries arrived and how many were given up, in a day and in a week. */
export function Health({ health }: HealthProps): JSX.Element {
  return (
    <span class="numbers">
      <Counts title="24 hours" counts={health.last_24h} />
      <Counts title="7 days" counts={health.last_7d} />
    </span>
  );
}

type CountsProps = Readonly<{ title: string; counts: WebhookHealth['last_7d'] }>;

function Counts({ title, counts: { delivered, failed } }: CountsProps): JSX.Element {
  return (
    <span>
      {title}: <b>{delivered}</b> delivered,{' '}
      {failed === 0 ? (
        <>
          <b>0</b> given up
        </>
      ) : (
        <span class="bad">
          <Icon name="failed" /> <b>{failed}</b> given up
        </span>
      )}
    </span>
  );
}
