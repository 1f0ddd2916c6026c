import { createHmac } from 'node:crypto';
import * as z from 'zod';
import { safeEqual } from '../../kernel/sign.ts';
import type { AccountCall } from '../call.ts';
import type { Push, PushedEvent, PushRequest } from '../push.ts';
import { entriesOf } from '../shared/web/atom.ts';
import { unclear } from '../shared/errors.ts';
import { send } from '../shared/rest.ts';
import { sessionOf } from './api.ts';

/** The longest that the hub promises. */
const LEASE_S = 864_000;
const DAY_MS = 86_400_000;

const Kept = z.object({ callback: z.string() });

const topicOf = (call: AccountCall): string =>
  `${call.hosts['feeds']!}/xml/feeds/videos.xml?channel_id=${sessionOf(call.session).channel}`;

/** Asks the hub for a subscription or its end; it looks at the address before it answers for good. */
async function tellHub(call: AccountCall, mode: 'subscribe' | 'unsubscribe', callback: string, secret?: string) {
  const form = new URLSearchParams({
    'hub.mode': mode,
    'hub.topic': topicOf(call),
    'hub.callback': callback,
    'hub.verify': 'async',
    'hub.lease_seconds': String(LEASE_S),
    ...(secret !== undefined && { 'hub.secret': secret }),
  });
  const { status } = await send(call, {
    method: 'POST',
    url: `${call.hosts['hub']!}/subscribe`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: form.toString(),
    template: '/subscribe',
  });
  if (status < 200 || status > 299) throw unclear();
}

function read({ body }: PushRequest): readonly PushedEvent[] {
  return entriesOf(body).flatMap(({ 'yt:videoId': platform_id, title = '', published = '' }) => {
    const published_at = Date.parse(published);
    if (!platform_id || Number.isNaN(published_at)) return [];
    return [
      { event: { kind: 'post', post: { platform_id, text: title, comment_count: 0, like_count: 0, published_at } } },
    ];
  });
}

/** WebSub of the channel's feed, which tells of uploads alone. */
export const push: Push = {
  scope: 'account',
  handshake: {
    challenge: ['hub.challenge'],
    question: ({ hosts }) => ({
      'hub.mode': 'subscribe',
      'hub.topic': `${hosts['feeds']!}/xml/feeds/videos.xml?channel_id=UC`,
    }),
    answer(body, { 'hub.mode': mode = '', 'hub.topic': topic = '' }, { hosts, ending }) {
      const isOurs = topic.startsWith(`${hosts['feeds']!}/xml/feeds/videos.xml?`);
      const isAsked = mode === (ending ? 'unsubscribe' : 'subscribe');
      return isOurs && isAsked ? { type: 'text', body } : undefined;
    },
  },
  verify({ headers, body }, { account }) {
    if (account === undefined) return false;
    const mac = createHmac('sha1', account).update(body).digest('hex');
    return safeEqual(headers['x-hub-signature'] ?? '', `sha1=${mac}`);
  },
  read,
  async subscribe(call, { callback, secret }) {
    await tellHub(call, 'subscribe', callback, secret);
    // The hub may grant less than was asked for; a day is a margin.
    return { until: call.now() + LEASE_S * 1000 - DAY_MS, kept: { callback } };
  },
  async unsubscribe(call, kept) {
    const { data } = Kept.safeParse(kept);
    if (data) await tellHub(call, 'unsubscribe', data.callback);
  },
};
