import { createHmac } from 'node:crypto';
import { Parser } from 'htmlparser2';
import * as z from 'zod';
import { safeEqual } from '../../kernel/sign.ts';
import type { AccountCall } from '../call.ts';
import type { Push, PushedEvent, PushRequest } from '../push.ts';
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

/** An entry of the feed: a video that is new or has changed. */
type Entry = { id: string; title: string; published: number };

/** The entries of an Atom feed; deleted ones have another name and none of this. */
function entriesIn(body: Uint8Array): readonly Entry[] {
  const entries: Entry[] = [];
  const path: string[] = [];
  let entry: Record<string, string> = {};
  const parser = new Parser(
    {
      onopentag(name) {
        path.push(name);
        if (name === 'entry') entry = {};
      },
      ontext(words) {
        const name = path.at(-1);
        if (name !== undefined && path.at(-2) === 'entry') entry[name] = (entry[name] ?? '') + words;
      },
      onclosetag(name) {
        path.pop();
        const { 'yt:videoId': id, title = '', published = '' } = entry;
        if (name === 'entry' && id) entries.push({ id, title, published: Date.parse(published) });
      },
    },
    { xmlMode: true },
  );
  parser.end(Buffer.from(body).toString('utf8'));
  return entries.filter(({ published }) => !Number.isNaN(published));
}

function read({ body }: PushRequest): readonly PushedEvent[] {
  return entriesIn(body).map(({ id, title, published }) => ({
    event: {
      kind: 'post',
      post: { platform_id: id, text: title, comment_count: 0, like_count: 0, published_at: published },
    },
  }));
}

/** WebSub of the channel's feed, which tells of uploads alone. */
export const push: Push = {
  scope: 'account',
  handshake({ 'hub.challenge': body = '', 'hub.mode': mode = '', 'hub.topic': topic = '' }, { hosts }) {
    const isOurs = topic.startsWith(`${hosts['feeds']!}/xml/feeds/videos.xml?`);
    const isAsked = mode === 'subscribe' || mode === 'unsubscribe';
    return body !== '' && isOurs && isAsked ? { type: 'text', body } : undefined;
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
