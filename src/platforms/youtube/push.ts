import * as z from 'zod';
import { hmacMatches, type SignatureScheme } from '#kernel/sign.ts';
import type { AccountCall } from '../call.ts';
import type { Push, PushedEvent, PushRequest } from '../push.ts';
import { entriesOf } from '../shared/web/atom.ts';
import { unclear } from '../shared/errors.ts';
import { send } from '../shared/rest.ts';
import { sessionOf } from './api.ts';

const LEASE_S = 864_000;
/** WebSub prescribes no other algorithm, and Google's hub offers none. */
const WEBSUB: SignatureScheme = Object.freeze({ algorithm: 'sha1', encoding: 'hex', prefix: 'sha1=' });

const Kept = z.object({ callback: z.string(), topic: z.string().optional() });

/** The two URLs of a channel's feed; Google documents the first, but it has failed for other programs. */
const FEEDS = ['/xml/feeds/videos.xml', '/feeds/videos.xml'] as const;
const topicsOf = (call: AccountCall): readonly string[] =>
  FEEDS.map((path) => `${call.hosts['feeds']!}${path}?channel_id=${sessionOf(call.session).channel}`);

type HubRequest = Readonly<{
  mode: 'subscribe' | 'unsubscribe';
  topic: string;
  callback: string;
  secret?: string | undefined;
}>;

/** Sends a subscription or its end to the hub, which then verifies the address. */
async function tellHub(call: AccountCall, { mode, topic, callback, secret }: HubRequest): Promise<boolean> {
  const form = new URLSearchParams({
    'hub.mode': mode,
    'hub.topic': topic,
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
  return status >= 200 && status <= 299;
}

/** The confirmed lease in seconds, capped at the requested one because anybody with the address can confirm. */
function leaseIn({ 'hub.lease_seconds': seconds = '' }: Readonly<Record<string, string>>): number | undefined {
  return /^[1-9]\d{0,9}$/.test(seconds) ? Math.min(Number(seconds), LEASE_S) : undefined;
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

/** Pushes by WebSub for the channel's feed, which reports only uploads. */
export const push: Push = {
  scope: 'account',
  handshake: {
    challenge: ['hub.challenge'],
    question: ({ hosts }) => ({
      'hub.mode': 'subscribe',
      'hub.topic': `${hosts['feeds']!}${FEEDS[0]}?channel_id=UC`,
    }),
    answer(body, query, { hosts, ending }) {
      const { 'hub.mode': mode = '', 'hub.topic': topic = '' } = query;
      const isOurs = FEEDS.some((path) => topic.startsWith(`${hosts['feeds']!}${path}?`));
      if (!isOurs || mode !== (ending ? 'unsubscribe' : 'subscribe')) return undefined;
      return { type: 'text', body, ...(!ending && { lease: leaseIn(query) }) };
    },
  },
  verify: ({ headers, body }, { account = '' }) =>
    hmacMatches(WEBSUB, headers['x-hub-signature'] ?? '', [account], body),
  read,
  async subscribe(call, { callback, secret }) {
    for (const topic of topicsOf(call)) {
      const isTaken = await tellHub(call, { mode: 'subscribe', topic, callback, secret });
      if (isTaken) return { kept: { callback, topic }, isUnconfirmed: true };
    }
    throw unclear("YouTube's hub accepts no subscriptions at the moment.");
  },
  async unsubscribe(call, kept) {
    const { data } = Kept.safeParse(kept);
    if (data === undefined) return;
    const { callback, topic = topicsOf(call)[0]! } = data;
    if (!(await tellHub(call, { mode: 'unsubscribe', topic, callback }))) throw unclear();
  },
};
