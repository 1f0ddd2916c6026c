/** Pushes of the X Activity API, for apps whose consumer key and secret are stored. */
import * as z from 'zod';
import { HOUR } from '#kernel/clock.ts';
import { lengthOf } from '#kernel/text/length.ts';
import { hmacMatches, hmacOf, type SignatureScheme } from '#kernel/sign.ts';
import type { UnauthenticatedCall } from '../call.ts';
import type { InboundEvent } from '../inbound.ts';
import type { Push, PushedEvent, PushRequest } from '../push.ts';
import { unlessRefused } from '../shared/errors.ts';
import { anything, dataOf, LAST_TIME, readable, text, word } from '../shared/fields.ts';
import { pushedJson, path } from '../shared/rest.ts';
import { appToken, request, requestWith, Id, sessionOf } from './api.ts';
import { between, messageEvent } from './messages.ts';
import { sorted } from './replies.ts';
import {
  type IncludedObjects,
  commentOf,
  Entities,
  Includes,
  listPosts,
  mentionOf,
  Post,
  type Viewer,
} from './tweets.ts';

const SCHEME: SignatureScheme = { algorithm: 'sha256', encoding: 'base64', prefix: 'sha256=' };
/** X signs with the consumer secret and, if the app has a client secret, with that too. */
const SIGNATURES = ['x-twitter-webhooks-signature', 'x-twitter-webhooks-signature-oauth2'];

const EVENTS = ['post.mention.create', 'post.reply.create', 'dm.received', 'dm.sent', 'dm.read'] as const;

/** An additional event, to which not every app may subscribe. */
const REVOKED = 'oauth.revoke';

/** How long a subscription is trusted; then it is checked, and one poll reads what was not pushed. */
const LIFE_MS = 6 * HOUR;

const Webhook = z.object({ id: Id, url: z.string(), valid: z.boolean().catch(false) });
const Subscription = z.object({
  subscription_id: z.string().min(1),
  event_type: z.string(),
  filter: z.object({ user_id: text }).catch({ user_id: undefined }),
  webhook_id: text,
});
type Subscription = z.output<typeof Subscription>;
/** The response to a created subscription, in one of three forms. */
const Made = z.union([
  Subscription,
  z.object({ subscription: Subscription }).transform((made) => made.subscription),
  z.tuple([Subscription]).transform(([made]) => made),
]);
const List = z.object({
  data: z.array(z.unknown()).default([]),
  meta: z.object({ next_token: text }).catch({ next_token: undefined }),
});

type AppCall = UnauthenticatedCall & Readonly<{ token: string }>;

/** The app's webhook at our address; created if missing, and revalidated if X could not reach it. */
async function webhookAt(app: AppCall, url: string): Promise<string> {
  const { data } = await requestWith(app, { method: 'GET', path: '/2/webhooks' }, List);
  const known = readable(Webhook, data).find((one) => one.url === url);
  if (known === undefined) {
    return (await requestWith(app, { method: 'POST', path: '/2/webhooks', json: { url } }, dataOf(Webhook))).id;
  }
  if (!known.valid) await requestWith(app, { method: 'PUT', ...path`/2/webhooks/${{ webhook: known.id }}` }, anything);
  return known.id;
}

const SUBSCRIPTIONS = '/2/activity/subscriptions';
const PER_PAGE = 100;
/** Enough pages for the largest plan of X. */
const MOST_PAGES = 1500;

/** An account's subscriptions, from the list of all the app's; reading stops when all `events` are found. */
async function subscriptionsIn(
  app: AppCall,
  events: readonly string[],
  isOwn: (one: Subscription) => boolean,
): Promise<readonly Subscription[]> {
  const own: Subscription[] = [];
  let token: string | undefined;
  for (let pages = 0; pages < MOST_PAGES; pages += 1) {
    const query = { max_results: PER_PAGE, pagination_token: token };
    const { data, meta } = await requestWith(app, { method: 'GET', path: SUBSCRIPTIONS, query }, List);
    own.push(...readable(Subscription, data).filter(isOwn));
    token = meta.next_token;
    const found = new Set(own.map(({ event_type }) => event_type));
    if (token === undefined || events.every((event) => found.has(event))) break;
  }
  return own;
}

const Kept = z.array(z.string()).catch([]);

/** Subscribes to an account's events; a subscription to another webhook is replaced. */
const subscribe: NonNullable<Push['subscribe']> = async (call, { callback, client, kept }) => {
  const token = client && (await appToken(call, client));
  if (token === undefined) return undefined;
  const app = { ...call, token };
  const webhook_id = await webhookAt(app, callback);
  const { user_id } = sessionOf(call.session);
  const before = Kept.parse(kept);
  const expected = before.length > EVENTS.length ? [...EVENTS, REVOKED] : EVENTS;
  const own = await subscriptionsIn(
    app,
    expected,
    // The list does not show to whom a revocation subscription belongs, so it is recognized by its id.
    ({ filter, subscription_id }) => filter.user_id === user_id || before.includes(subscription_id),
  );
  async function follow(event_type: string, filter: object): Promise<string> {
    const known = own.find((one) => one.event_type === event_type);
    if (known?.webhook_id === webhook_id) return known.subscription_id;
    if (known !== undefined) await end(app, known.subscription_id);
    const json = { event_type, filter, webhook_id };
    return (await request(call, { method: 'POST', path: SUBSCRIPTIONS, json }, dataOf(Made))).subscription_id;
  }
  const ids: string[] = [];
  for (const event of EVENTS) ids.push(await follow(event, { user_id }));
  const revoked = await unlessRefused(follow(REVOKED, {}));
  return { until: call.now() + LIFE_MS, kept: [...ids, ...(revoked === undefined ? [] : [revoked])] };
};

/** Ends a subscription, with the app's token; a missing subscription counts as success. */
const end = (app: AppCall, id: string) =>
  unlessRefused(
    requestWith(app, { method: 'DELETE', ...path`/2/activity/subscriptions/${{ id }}` }, anything),
    'not_found',
  );

/** The weighted lengths at which X may have truncated a longer post. */
const CUT = Object.freeze({ from: 240, to: 290 });
const mayBeCut = (displayText: string): boolean => {
  const length = lengthOf(displayText, 'weighted');
  return length >= CUT.from && length <= CUT.to;
};

/** Reads a post if the push may have truncated it or omits its author or conversation. */
const complete: NonNullable<Push['complete']> = async (call, event) => {
  const mentioned = event.kind === 'mention' ? event.mention : undefined;
  const message = event.kind === 'comment' ? event.comment : mentioned;
  if (message === undefined) return event;
  const isWhole = message.author.name !== '' && !mayBeCut(message.text);
  if (isWhole && !('parent_id' in message && message.parent_id)) return event;
  const { items, includes } = await listPosts(call, { path: '/2/tweets', query: { ids: message.platform_id } });
  const { comments, mentions } = await sorted(call, items, includes);
  const [comment, mention] = [comments[0], mentions[0]];
  if (comment !== undefined) return { kind: 'comment', comment };
  return mention === undefined ? event : { kind: 'mention', mention };
};

/** Converts a pushed message, with its file, to the form that lists have. */
const Message = z
  .object({
    id: Id,
    created_timestamp: z.coerce.number().int().nonnegative().max(LAST_TIME),
    message_create: z.object({
      target: z.object({ recipient_id: Id }),
      sender_id: Id,
      message_data: z.object({ text: word, entities: Entities, attachment: z.looseObject({}).catch({}) }),
    }),
  })
  .transform(({ id, created_timestamp, message_create: { sender_id, target, message_data } }) => ({
    id,
    ...message_data,
    created_at: new Date(created_timestamp).toISOString(),
    dm_conversation_id: between(sender_id, target.recipient_id),
    sender_id,
    participant_ids: [sender_id, target.recipient_id],
    file: File.safeParse(message_data.attachment['media']).data,
  }));
const File = z
  .object({ type: word, media_url_https: z.string() })
  .transform(({ type, media_url_https: url }) => ({ media_key: url, type, url, variants: [] }));

const Read = z.object({ created_timestamp: z.coerce.number(), sender_id: Id });

const Pushed = z.object({
  data: z.object({
    event_type: z.string(),
    filter: z.object({ user_id: Id.optional() }).catch({}),
    payload: z.looseObject({
      user_id: Id.optional().catch(undefined),
      direct_message_events: z.array(z.unknown()).catch([]),
      direct_message_mark_read_events: z.array(z.unknown()).catch([]),
      users: z.record(z.string(), z.looseObject({})).catch({}),
    }),
    includes: Includes,
  }),
});
type Pushed = z.output<typeof Pushed>['data'];

function messageEvents({ payload }: Pushed, viewer: Viewer): readonly InboundEvent[] {
  const people = Object.entries(payload.users).map(([id, user]) => ({ ...user, ...(user['data'] as object), id }));
  const { users } = Includes.parse({ users: people, media: [] });
  return readable(Message, payload.direct_message_events).map(({ file, ...event }) => {
    const media: IncludedObjects['media'] = new Map(
      file && [[file.media_key, { preview_image_url: undefined, ...file }]],
    );
    return messageEvent(
      viewer,
      { ...event, attachments: { media_keys: [...media.keys()] } },
      {
        users,
        media,
      },
    );
  });
}

function eventsOf(pushed: Pushed, viewer: Viewer): readonly InboundEvent[] {
  const { event_type, payload, includes } = pushed;
  const { me } = viewer;
  if (event_type === REVOKED) return [{ kind: 'revoked', why: 'Access was revoked on X.' }];
  if (event_type === 'dm.received' || event_type === 'dm.sent') return messageEvents(pushed, viewer);
  if (event_type === 'dm.read') {
    return readable(Read, payload.direct_message_mark_read_events).map(({ created_timestamp: at, sender_id }) => {
      return { kind: 'receipt', status: 'read', conversation: between(me, sender_id), watermark: at, at };
    });
  }
  const { data: post } = Post.safeParse(payload);
  if (post === undefined || post.author_id === me) return [];
  if (event_type === 'post.reply.create') return [{ kind: 'comment', comment: commentOf(viewer, post, includes) }];
  // A reply to the account is ignored here, because X also pushes it as a reply.
  if (event_type !== 'post.mention.create' || post.in_reply_to_user_id === me) return [];
  return [{ kind: 'mention', mention: mentionOf(viewer, post, includes) }];
}

function read({ body, hosts = {} }: PushRequest): readonly PushedEvent[] {
  const { data: pushed } = Pushed.safeParse(pushedJson(body));
  const user = pushed?.data.filter.user_id ?? pushed?.data.payload.user_id;
  if (pushed === undefined || user === undefined) return [];
  return eventsOf(pushed.data, { hosts, me: user }).map((event) => ({ user, event }));
}

export const push: Push = {
  scope: 'customer_app',
  handshake: {
    challenge: ['crc_token'],
    answer(token, _query, { app: [secret] }) {
      if (secret === undefined) return undefined;
      return { type: 'json', body: JSON.stringify({ response_token: hmacOf(SCHEME, secret, token) }) };
    },
  },
  verify: ({ headers, body }, { app }) =>
    SIGNATURES.some((name) => headers[name] !== undefined && hmacMatches(SCHEME, headers[name], app, body)),
  read,
  subscribe,
  complete,
  endedByApp: true,
  async unsubscribe(call, kept, _isShared, client) {
    const token = client && (await appToken(call, client));
    if (token === undefined) return;
    for (const id of Kept.parse(kept)) await end({ ...call, token }, id);
  },
};
