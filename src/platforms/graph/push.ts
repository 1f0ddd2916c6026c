import * as z from 'zod';
import { PushedId } from './fields.ts';
import { DAY, MINUTE } from '#kernel/clock.ts';
import type { PlatformSetting } from '#kernel/config/names.ts';
import { matching } from '#kernel/config/values.ts';
import { hmacMatches, safeEqual, type SignatureScheme } from '#kernel/sign.ts';
import type { OAuthClient } from '../connect.ts';
import type { InboundEvent } from '../inbound.ts';
import type { Push, PushedEvent, PushedTo, PushRequest, PushTrust } from '../push.ts';
import { maybeTime } from '../shared/fields.ts';
import { pushedJson, path } from '../shared/rest.ts';
import { listOf, type makeGraph, Success } from './api.ts';

/** The callback paths below the push address, as entered in the app dashboard. */
const DEAUTHORIZE = 'deauthorize';
const DATA_DELETION = 'data-deletion';
/** Longer forms are not parsed, as the signature is not checked yet; a real one has a few hundred bytes. */
const LONGEST_FORM = 16_384;

const HUB: SignatureScheme = Object.freeze({ algorithm: 'sha256', encoding: 'hex', prefix: 'sha256=' });
const SIGNED_REQUEST: SignatureScheme = Object.freeze({ algorithm: 'sha256', encoding: 'base64url' });

const Entry = z.object({
  id: PushedId,
  time: maybeTime,
  changes: z.array(z.unknown()).catch([]),
  messaging: z.array(z.unknown()).catch([]),
  /** Events of conversations that another app of the page controls. */
  standby: z.array(z.unknown()).catch([]),
  field: z.unknown().optional(),
  value: z.unknown().optional(),
});
const Envelope = z.object({ entry: z.array(z.unknown()) });
const Change = z.object({ field: z.string(), value: z.unknown().optional() });
const Signed = z.object({ user_id: PushedId, algorithm: z.string(), issued_at: z.number() });

/** The greatest accepted age of a signed request, and the tolerated clock skew of its sender. */
const LONGEST_AGE_MS = 7 * DAY;
const CLOCK_SKEW_MS = 5 * MINUTE;

/** The page or account to which an entry belongs, and the time of the entry. */
export type Pushing = Readonly<{ owner: string; at: number | undefined }>;

type Readers = Readonly<{
  owner: 'page' | 'user';
  /** The events of a changed field; those of a list name their own accounts. Undefined if not stored. */
  change(field: string, value: unknown, pushing: Pushing): InboundEvent | readonly PushedEvent[] | undefined;
  messaging?(value: unknown, pushing: Pushing): InboundEvent | undefined;
}>;

type App = Readonly<{
  title: string;
  /** The metadata member with the person's login id, if account ids are different. */
  login?: string;
  /** The setting of the verify token, if webhooks can only be set up in the app's dashboard. */
  byHand?: PlatformSetting;
}>;

/** Makes a reader that ignores values of an unexpected form; `about` is context from the push. */
export function reading<T extends z.ZodType, About, Read>(
  schema: T,
  read: (value: z.output<T>, about: About) => Read | undefined,
) {
  return function readValue(value: unknown, about: About): Read | undefined {
    const parsed = schema.safeParse(value);
    return parsed.success ? read(parsed.data, about) : undefined;
  };
}

/** Reads a change with the reader of its field; changes of other fields are ignored. */
export function byField<About, Read>(
  readings: Readonly<Record<string, (value: unknown, about: About) => Read | undefined>>,
) {
  return (field: string, value: unknown, about: About): Read | undefined =>
    Object.hasOwn(readings, field) ? readings[field]!(value, about) : undefined;
}

/** Declares the setting of a verify token that is entered by hand; `name` begins with the slug. */
export const verifyTokenSetting = (name: `${Uppercase<string>}_VERIFY_TOKEN`): PlatformSetting =>
  Object.freeze({
    name,
    meaning: "The verify token of the webhooks, as typed into the app's dashboard: any word of yours.",
    parse: matching(/^[\x21-\x7e]{1,200}$/, 'must be 1 to 200 characters without spaces'),
    sandbox: 'sandbox',
  });

/** Readers of pushes that consist of entries, or a reader of a different form of push. */
type Webhooks = App & (Readers | Readonly<{ eventsOf(body: unknown): readonly PushedEvent[] }>);

/** Webhooks of a Graph object, and the deauthorize and data-deletion callbacks of its app. */
export function graphPush(webhooks: Webhooks) {
  const eventsOf = 'eventsOf' in webhooks ? webhooks.eventsOf : (body: unknown) => eventsInEntries(body, webhooks);
  return Object.freeze({
    scope: 'app',
    callbacks: { [DEAUTHORIZE]: 'Deauthorize callback', [DATA_DELETION]: 'Data deletion requests' },
    ...(webhooks.byHand && { verifyToken: webhooks.byHand }),
    handshake: {
      // Some proxies replace the dots with underscores.
      challenge: ['hub.challenge', 'hub_challenge'],
      question: (_, token) => ({ 'hub.mode': 'subscribe', 'hub.verify_token': token }),
      answer: (challenge, query, trust) =>
        isAskedOfUs(query, trust, webhooks.byHand) ? { type: 'text', body: challenge } : undefined,
    },
    verify,
    // Some pushes are wrapped in a list, and some contain ids as bare numbers.
    read: (request) =>
      request.path === '' ? [pushedJson(request.body, true)].flat().flatMap(eventsOf) : signedEvents(request, webhooks),
    confirmDeletion: (request, { url, code }) =>
      request.path === DATA_DELETION ? { url, confirmation_code: code } : undefined,
  } satisfies Push);
}

function isAskedOfUs(
  query: Readonly<Record<string, string>>,
  { verifyToken, settings }: Pick<PushTrust, 'verifyToken' | 'settings'>,
  byHand: PlatformSetting | undefined,
): boolean {
  const param = (name: string) => query[`hub.${name}`] ?? query[`hub_${name}`];
  if (param('mode') !== 'subscribe') return false;
  const ours = [verifyToken, (byHand && settings[byHand.name]) ?? ''].filter((token) => token !== '');
  return ours.some((token) => safeEqual(param('verify_token') ?? '', token));
}

function verify(request: PushRequest, { app: secrets, now }: Pick<PushTrust, 'app' | 'now'>): boolean {
  if (request.path === '') {
    return hmacMatches(HUB, request.headers['x-hub-signature-256'] ?? '', secrets, request.body);
  }
  const { signature, payload } = signedRequest(request);
  return hmacMatches(SIGNED_REQUEST, signature, secrets, payload) && isCurrent(payload, now());
}

/** Whether a signed request uses the expected algorithm and is recent. */
function isCurrent(payload: string, now: number): boolean {
  const signed = signedIn(payload);
  if (signed?.algorithm.toUpperCase() !== 'HMAC-SHA256') return false;
  const age = now - signed.issued_at * 1000;
  return age <= LONGEST_AGE_MS && age >= -CLOCK_SKEW_MS;
}

const signedIn = (payload: string) => Signed.safeParse(pushedJson(Buffer.from(payload, 'base64url'), true)).data;

function eventsInEntries(body: unknown, readers: Readers): readonly PushedEvent[] {
  const envelope = Envelope.safeParse(body);
  return envelope.success ? envelope.data.entry.flatMap((entry) => readEntry(entry, readers)) : [];
}

/** Reads an entry; its members decide the kind of event, regardless of the object that the push names. */
function readEntry(value: unknown, { owner: of, change, messaging: message }: Readers): readonly PushedEvent[] {
  const parsed = Entry.safeParse(value);
  if (!parsed.success) return [];
  const { id: owner, time, changes, messaging, standby, ...single } = parsed.data;
  const pushing = { owner, at: time };
  const changed = [...changes, single].flatMap((one) => Change.safeParse(one).data ?? []);
  const events = [
    ...changed.map((one) => change(one.field, one.value, pushing)),
    ...[...messaging, ...standby].map((happening) => message?.(happening, pushing)),
  ];
  return events.flatMap((event) => {
    if (event === undefined) return [];
    return 'kind' in event ? [{ [of]: owner, event }] : event;
  });
}

function signedEvents(request: PushRequest, { title, login }: App): readonly PushedEvent[] {
  const signed = signedIn(signedRequest(request).payload);
  if (signed === undefined) return [];
  const { user_id: user } = signed;
  const to: PushedTo = login === undefined ? { user } : { having: { name: login, value: user } };
  if (request.path === DEAUTHORIZE) {
    return [{ ...to, event: { kind: 'revoked', why: `The app was removed in the settings of ${title}.` } }];
  }
  return request.path === DATA_DELETION ? [{ ...to, event: { kind: 'deletion' } }] : [];
}

/** Splits the form field `signed_request`; the signature covers the second part in its encoded form. */
function signedRequest({ body }: PushRequest): Readonly<{ signature: string; payload: string }> {
  if (body.length > LONGEST_FORM) return { signature: '', payload: '' };
  const form = new URLSearchParams(Buffer.from(body).toString('utf8'));
  const [signature = '', payload = ''] = (form.get('signed_request') ?? '').split('.');
  return { signature: signature.replace(/={1,2}$/, ''), payload };
}

const AppSubscriptions = listOf(
  z.object({ object: z.string(), callback_url: z.string().optional(), active: z.boolean() }),
);

/** Subscribes the app to events of a Graph object, and lists the addresses that receive them. */
export function appSubscription(
  { request }: Pick<ReturnType<typeof makeGraph>, 'request'>,
  { object, fields }: Readonly<{ object: string; fields: string }>,
): Required<Pick<Push, 'register' | 'registered'>> {
  const at = (app: string) => path`/${{ app }}/subscriptions`;
  const tokenOf = ({ clientId, clientSecret }: OAuthClient) => `${clientId}|${clientSecret}`;
  return {
    async register(call, { callback, verifyToken, ...client }) {
      const form = { object, callback_url: callback, verify_token: verifyToken, fields, include_values: true };
      await request(call, { method: 'POST', ...at(client.clientId), form, token: tokenOf(client) }, Success);
    },
    async registered(call, client) {
      const options = { method: 'GET', ...at(client.clientId), token: tokenOf(client) } as const;
      const { data } = await request(call, options, AppSubscriptions);
      return data.flatMap((one) => (one.object === object && one.active ? (one.callback_url ?? []) : []));
    },
  };
}
