import { fail } from '#kernel/errors.ts';
import { isCallable } from '#kernel/net/addresses.ts';
import { isEvent, type EventName } from '#kernel/events.ts';
import { splitAddress, type Address } from './address.ts';
import { fitsHeader } from './signed-request.ts';

const LONGEST_URL = 2048;
const LONGEST_EVENT_TYPE = 100;
/** `URL` silently drops or rewrites other characters, so the displayed URL would differ from the one called. */
const SOUND_URL = /^https:\/\/[^\s\p{Cc}/\\][^\s\p{Cc}\\]*$/iu;

function required(field: string): never {
  fail('validation.field_required', { message: `${field} is required.`, meta: { field } });
}

function invalid(field: string, message: string): never {
  fail('validation.field_invalid', { message, meta: { field } });
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
}

/** Validates a URL for deliveries: https, and no literal address inside our network. */
export function readUrl(value: unknown, refusesHost: (url: URL) => boolean): Address {
  if (isEmpty(value)) required('url');
  const text = typeof value === 'string' ? value.trim() : '';
  if (text.length > LONGEST_URL) invalid('url', `url may have at most ${LONGEST_URL} characters.`);
  const url = SOUND_URL.test(text) ? URL.parse(text) : null;
  if (!url || !isCallable(url)) invalid('url', 'url must be an https:// address.');
  if (refusesHost(url)) {
    invalid('url', 'url points to a private or reserved address (the setting ALLOW_PRIVATE_NETWORK opens some).');
  }
  return splitAddress(text);
}

export function refuseMask(): never {
  invalid(
    'url',
    'url holds *** in place of a user or password: send the real ones, or leave them out. They are kept only while scheme, host and port stay the same.',
  );
}

/** The event names of a subscription, sorted and without duplicates. */
export function readEvents(value: unknown): EventName[] {
  if (isEmpty(value)) required('events');
  if (!Array.isArray(value) || value.length === 0) invalid('events', 'events must name at least one event.');
  return eventNamesIn(value);
}

export function readReplayEvents(value: readonly string[] | undefined): EventName[] | undefined {
  return value === undefined || value.length === 0 ? undefined : eventNamesIn(value);
}

function eventNamesIn(names: readonly unknown[]): EventName[] {
  return [...new Set(names)].map((name) =>
    isEvent(name)
      ? name
      : invalid('events', `${JSON.stringify(name)?.slice(0, 100)} is not an event; see GET /v1/webhooks/events.`),
  );
}

export function readActive(value: unknown): boolean {
  return typeof value === 'boolean' ? value : invalid('is_active', 'is_active must be true or false.');
}

/** The event type of a test delivery; may be any text that a header can contain. */
export function readEventType(value: unknown): string {
  if (isEmpty(value)) required('event_type');
  const fits = typeof value === 'string' && value.length <= LONGEST_EVENT_TYPE && fitsHeader(value);
  return fits
    ? value
    : invalid('event_type', 'event_type must be 1 to 100 characters that are allowed in an HTTP header.');
}

export function readPayload(value: unknown): string {
  if (value === undefined || value === null) required('payload');
  return JSON.stringify(value);
}

export function refuseReversed(since: number, until: number): void {
  if (since > until) invalid('since', 'since must not be after until.');
}
