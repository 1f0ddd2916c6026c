/** The webhook events of the activity API. */
import { randomUUID } from 'node:crypto';
import { MINUTE, isoTime } from '#kernel/clock.ts';
import { safeEqual } from '#kernel/sign.ts';
import { parseJson } from '../body.ts';
import { hmac } from '../kit/oauth/secrets.ts';
import { openHooks } from '../kit/push/hooks.ts';
import type { Fields, Message, Post, Subscription } from './docs.ts';
import type { Views } from './views.ts';
import { appNumber, type Apps, type Users, type World } from './world.ts';

export type Events = ReturnType<typeof makeEvents>;

const signatureOf = (secret: string, body: string): string => `sha256=${hmac(secret, 'sha256', body).digest('base64')}`;

/** Webhooks, each verified with the consumer secret of its app. */
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

/** Sends events to subscribers. Call everything here inside a transaction. */
export function makeEvents(world: World, users: Users, apps: Apps, views: Views) {
  const { docs, options } = world;
  const { clock } = options;
  const hooks = makeHooks(world, apps);
  const of = (user: string) => docs.list('subscription', { page: user });

  const send = (to: Subscription, filter: Fields, payload: Fields, extra?: Fields): void => {
    const { event: event_type, tag = '', parent_id, page_id } = to;
    const data = { event_uuid: randomUUID(), filter, event_type, tag, payload, ...extra };
    hooks.send(parent_id, page_id, event_type, JSON.stringify({ data }));
  };
  function tell(user: string, event: string, payload: () => Fields, extra?: Fields): void {
    for (const to of of(user)) if (to.event === event) send(to, { user_id: user }, payload(), extra);
  }
  /** An event of a direct message also describes the people in it. */
  const tellOfMessage = (user: string, event: string, body: Fields, people: readonly string[]): void =>
    tell(user, event, () => ({
      ...body,
      users: Object.fromEntries(people.map((id) => [id, { data: views.wholeUser(id) }])),
    }));
  /** Only events of mentions include the author and the post they refer to. */
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
    },
    removed({ id, page_id }: Post): void {
      tell(page_id, 'post.delete', () => ({ id, author_id: page_id }));
    },
    liked(post: Post, by: string): void {
      tell(post.page_id, 'like.create', () => ({ user_id: by, liked_tweet_id: post.id }));
    },
    said(message: Message): void {
      const { by, participants } = message;
      for (const id of participants) {
        const body = { direct_message_events: [views.messageEvent(message, id)] };
        tellOfMessage(id, id === by ? 'dm.sent' : 'dm.received', body, participants);
      }
    },
    read({ by: author, id }: Message, reader: string): void {
      const when = { created_timestamp: String(clock.now()), last_read_event_id: id };
      const event = { ...when, sender_id: reader, target: { recipient_id: author } };
      tellOfMessage(author, 'dm.read', { direct_message_mark_read_events: [event] }, [author, reader]);
    },
    /** Notifies the app that it has lost access, and deletes its subscriptions. */
    revoked(user: string, client: string): void {
      const [date_time, app_id] = [isoTime(clock.now()), appNumber(client)];
      for (const to of of(user).filter((one) => one.client === client)) {
        if (to.event === 'oauth.revoke') send(to, {}, { date_time, user_id: user, app_id });
        docs.remove('subscription', to.id);
      }
    },
  });
}
