/** Webhook events of the activity API, and of the older account activity. */
import { randomUUID } from 'node:crypto';
import { MINUTE, isoTime } from '#kernel/clock.ts';
import { safeEqual } from '#kernel/sign.ts';
import { parseJson } from '../body.ts';
import { randomText } from '../kit/ids.ts';
import { hmac } from '../kit/oauth/secrets.ts';
import { openHooks } from '../kit/push/hooks.ts';
import type { Fields, Message, Post, Subscription } from './docs.ts';
import type { Views } from './views.ts';
import { appNumber, type Apps, type Users, type World } from './world.ts';

export const ALL = 'all';
export type Events = ReturnType<typeof makeEvents>;

const signatureOf = (secret: string, body: string): string => `sha256=${hmac(secret, 'sha256', body).digest('base64')}`;

/** Webhooks, verified by their app's consumer secret. */
function makeHooks({ options, docs, pushes }: World, apps: Apps) {
  const secretOf = (app = '') => apps.get(app)?.consumer_secret ?? '';
  return openHooks(options, docs, pushes, {
    handshakeUrl({ url }, challenge) {
      const request = new URL(url);
      request.searchParams.set('crc_token', challenge);
      return request.href;
    },
    isProof({ page_id }, challenge, { status, text }) {
      const { response_token: token } = (parseJson(Buffer.from(text)) ?? {}) as Fields;
      return status === 200 && safeEqual(String(token), signatureOf(secretOf(page_id), challenge));
    },
    headers: (hook, body, isWrong) => ({
      'content-type': 'application/json',
      'x-twitter-webhooks-signature': signatureOf(isWrong ? 'wrong' : secretOf(hook?.page_id), body),
    }),
    againMs: 60 * MINUTE,
    waits: [MINUTE, 5 * MINUTE, 15 * MINUTE],
    lastTry: 60 * MINUTE,
  });
}

/** Sends events to subscribers; everything runs inside transactions. */
export function makeEvents(world: World, users: Users, apps: Apps, views: Views) {
  const { docs, options } = world;
  const { clock } = options;
  const hooks = makeHooks(world, apps);
  const of = (user: string) => docs.list('subscription', { page: user });

  // In the older API ids are numbers, however large.
  const send = ({ parent_id, page_id }: Subscription, kind: string, body: Fields) =>
    hooks.send(parent_id, page_id, kind, JSON.stringify(body).replaceAll(/"(id|user_id)":"#(\d+)"/g, '"$1":$2'));
  const sendData = (to: Subscription, filter: Fields, payload: Fields, extra?: Fields) => {
    const { event: event_type, tag = '' } = to;
    send(to, event_type, { data: { event_uuid: randomUUID(), filter, event_type, tag, payload, ...extra } });
  };
  function tell(user: string, event: string, payload: () => Fields, extra?: Fields): void {
    for (const to of of(user)) if (to.event === event) sendData(to, { user_id: user }, payload(), extra);
  }
  /** For subscribers of all account activity. */
  function tellAll(user: string, name: string, items: () => Fields): void {
    for (const to of of(user)) if (to.event === ALL) send(to, name, { for_user_id: user, ...items() });
  }
  const among = (ids: readonly string[], look: (id: string) => Fields) => ({
    users: Object.fromEntries(ids.map((id) => [id, look(id)])),
  });
  /** The older API has its own form of people. */
  const both = (user: string, event: string, name: string, body: Fields, people: readonly string[]) => {
    tell(user, event, () => ({ ...body, ...among(people, (id) => ({ data: views.wholeUser(id) })) }));
    tellAll(user, name, () => ({ ...body, ...among(people, views.oldUser) }));
  };
  /** Only mentions include their author and subject. */
  const includesOf = (event: string, post: Post, user: string): Fields => {
    const includes = { users: [post.page_id, user].map(views.wholeUser), tweets: [views.wholePost(post)] };
    return { includes: event === 'mention.create' ? includes : {} };
  };

  return Object.freeze({
    hooks,
    posted(post: Post): void {
      const { page_id: author, parent_id, named, quoted = '' } = post;
      const others = (ids: readonly string[]) => ids.filter((id) => id !== author && id !== '');
      const whose = (id: string) => others([docs.get('post', id)?.page_id ?? '']);
      const base = { create: [author], 'mention.create': others(named) };
      const all = { ...base, 'reply.create': whose(parent_id), 'quote.create': whose(quoted) };
      for (const [event, ids] of Object.entries(all))
        for (const id of ids) tell(id, `post.${event}`, () => views.wholePost(post), includesOf(event, post, id));
      for (const id of new Set(Object.values(all).flat()))
        tellAll(id, 'tweet_create_events', () => ({ tweet_create_events: [views.oldPost(post)] }));
    },
    removed({ id, page_id }: Post): void {
      tell(page_id, 'post.delete', () => ({ id, author_id: page_id }));
      const gone = { status: { id, user_id: page_id }, timestamp_ms: String(clock.now()) };
      tellAll(page_id, 'tweet_delete_events', () => ({ tweet_delete_events: [gone] }));
    },
    liked(post: Post, by: string): void {
      tell(post.page_id, 'like.create', () => ({ user_id: by, liked_tweet_id: post.id }));
      const like = { id: randomText(20), timestamp_ms: clock.now() };
      tellAll(post.page_id, 'favorite_events', () => ({
        favorite_events: [{ ...like, favorited_status: views.oldPost(post), user: views.oldUser(by) }],
      }));
    },
    said(message: Message): void {
      const { by, participants } = message;
      const name = 'direct_message_events';
      for (const id of participants)
        both(
          id,
          id === by ? 'dm.sent' : 'dm.received',
          name,
          { [name]: [views.oldMessage(message, id)] },
          participants,
        );
    },
    read({ by: author, id }: Message, reader: string): void {
      const name = 'direct_message_mark_read_events';
      const when = { created_timestamp: String(clock.now()), last_read_event_id: id };
      const event = { ...when, sender_id: reader, target: { recipient_id: author } };
      both(author, 'dm.read', name, { [name]: [event] }, [author, reader]);
    },
    /** Reports revoked rights, and removes the app's subscriptions. */
    revoked(user: string, client: string): void {
      const [date_time, app_id] = [isoTime(clock.now()), appNumber(client)];
      for (const to of of(user).filter((one) => one.client === client)) {
        if (to.event === 'oauth.revoke') sendData(to, {}, { date_time, user_id: user, app_id });
        const revoke = { date_time, target: { app_id }, source: { user_id: user } };
        if (to.event === ALL) send(to, 'user_event', { user_event: { revoke } });
        docs.remove('subscription', to.id);
      }
    },
  });
}
