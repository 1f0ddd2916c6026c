import { createHmac } from 'node:crypto';
import * as z from 'zod';
import { safeEqual as isSame } from '../../../kernel/sign.ts';
import type { Push, PushRequest, PushedEvent } from '../../inbound.ts';
import type { UnauthenticatedCall } from '../../call.ts';
import { graph, Success } from '../api.ts';
import { complete } from './complete.ts';
import { SUBSCRIBED_FIELDS } from '../accounts/pages.ts';
import { feedEvent, mentionEvent, type Pushing } from './feed.ts';
import { messagingEvent } from './messages.ts';
import { Key, msOf } from './values.ts';

/** Sub-paths of the push address, as configured in the app dashboard. */
const DEAUTHORIZE = 'deauthorize';
const DATA_DELETION = 'data-deletion';

const Entry = z.object({
  id: Key,
  time: z.number().optional().catch(undefined),
  changes: z.array(z.unknown()).catch([]),
  messaging: z.array(z.unknown()).catch([]),
  /** Conversations controlled by another app of the page. */
  standby: z.array(z.unknown()).catch([]),
  field: z.unknown().optional(),
  value: z.unknown().optional(),
});
const Envelope = z.object({ entry: z.array(z.unknown()) });
const Change = z.object({ field: z.string(), value: z.unknown().optional() });
const Signed = z.object({ user_id: Key, algorithm: z.string() });

/** Webhooks of the object `page`, and the deauthorize and data-deletion callbacks of the app. */
export const push = Object.freeze<Push>({ handshake, verify, read, answer, complete, register });

function handshake(query: Readonly<Record<string, string>>, verifyToken: string): string | undefined {
  // Some proxies replace the dots with underscores.
  const param = (name: string) => query[`hub.${name}`] ?? query[`hub_${name}`];
  if (verifyToken === '' || param('mode') !== 'subscribe') return undefined;
  return isSame(param('verify_token') ?? '', verifyToken) ? param('challenge') : undefined;
}

function verify(request: PushRequest, appSecret: string): boolean {
  if (appSecret === '') return false;
  const hmac = (data: Uint8Array | string) => createHmac('sha256', appSecret).update(data);
  if (request.path === '') {
    return isSame(request.headers['x-hub-signature-256'] ?? '', `sha256=${hmac(request.body).digest('hex')}`);
  }
  const { signature, payload } = signedRequest(request);
  return signature !== '' && isSame(signature, hmac(payload).digest('base64url'));
}

function read(request: PushRequest): readonly PushedEvent[] {
  if (request.path !== '') return readSigned(request);
  const body = jsonOf(Buffer.from(request.body).toString('utf8'));
  return [body].flat().flatMap((one) => {
    const envelope = Envelope.safeParse(one);
    return envelope.success ? envelope.data.entry.flatMap(readEntry) : [];
  });
}

function answer(request: PushRequest, { url, code }: Readonly<{ url: string; code: string }>): unknown {
  return request.path === DATA_DELETION ? { url, confirmation_code: code } : undefined;
}

async function register(call: UnauthenticatedCall, app: Parameters<NonNullable<Push['register']>>[1]): Promise<void> {
  const { clientId, clientSecret, callback, verifyToken } = app;
  const form = {
    object: 'page',
    callback_url: callback,
    verify_token: verifyToken,
    fields: SUBSCRIBED_FIELDS,
    include_values: true,
  };
  const token = `${clientId}|${clientSecret}`;
  const ask = { method: 'POST', path: '/{app}/subscriptions', ids: { app: clientId }, form, token } as const;
  await graph(call, ask, Success);
}

/** The members of an entry decide its kind, whatever object the envelope names. */
function readEntry(value: unknown): readonly PushedEvent[] {
  const parsed = Entry.safeParse(value);
  if (!parsed.success) return [];
  const { id: page, time, changes, messaging, standby, ...single } = parsed.data;
  const pushing = { page, at: msOf(time) };
  const events = [
    ...[...changes, single].map((change) => changeEvent(change, pushing)),
    ...[...messaging, ...standby].map((happening) => messagingEvent(happening, pushing)),
  ];
  return events.flatMap((event) => (event === undefined ? [] : [{ page, event }]));
}

function changeEvent(value: unknown, pushing: Pushing) {
  const change = Change.safeParse(value);
  if (!change.success) return undefined;
  if (change.data.field === 'feed') return feedEvent(change.data.value, pushing);
  return change.data.field === 'mention' ? mentionEvent(change.data.value, pushing) : undefined;
}

function readSigned(request: PushRequest): readonly PushedEvent[] {
  const { payload } = signedRequest(request);
  const signed = Signed.safeParse(jsonOf(Buffer.from(payload, 'base64url').toString('utf8')));
  if (!signed.success || signed.data.algorithm.toUpperCase() !== 'HMAC-SHA256') return [];
  const { user_id: user } = signed.data;
  if (request.path === DEAUTHORIZE) {
    return [{ user, event: { kind: 'revoked', why: 'The app was removed in the settings of Facebook.' } }];
  }
  return request.path === DATA_DELETION ? [{ user, event: { kind: 'deletion' } }] : [];
}

/** The two parts of the form field `signed_request`; the signature covers the encoded second part. */
function signedRequest({ body }: PushRequest): Readonly<{ signature: string; payload: string }> {
  const form = new URLSearchParams(Buffer.from(body).toString('utf8'));
  const [signature = '', payload = ''] = (form.get('signed_request') ?? '').split('.');
  return { signature: signature.replace(/=+$/, ''), payload };
}

function jsonOf(source: string): unknown {
  try {
    return JSON.parse(source);
  } catch {
    return undefined;
  }
}
