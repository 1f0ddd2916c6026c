/** The hub: who subscribes to the videos of a channel proves the callback, and is told until the lease ends. */
import { createHmac } from 'node:crypto';
import type { Context } from 'koa';
import { wireTime } from '../../kernel/clock.ts';
import { readBody } from '../body.ts';
import { randomText } from '../kit/ids.ts';
import { openPushes, type Pushes } from '../kit/push/pushes.ts';
import { ABOUT } from './about.ts';
import type { Channel, Subscription, Video } from './docs.ts';
import type { Channels, Videos, World } from './world.ts';

const MOST_BODY = 16 * 1024;
const MOST_LEASE_S = 864_000;
const USUAL_LEASE_S = 432_000;
const MOST_SECRET = 200;
const HOUR = 3_600_000;

const text = (words: string): string =>
  words.replace(/[&<>"']/g, (one) => `&#${one.codePointAt(0)};`).replaceAll(/[^\P{Cc}\n\t]/gu, '');
const link = (rel: string, href: string) => `<link rel="${rel}" href="${text(href)}"/>`;

/** Feeds as the hub delivers them, and as everybody can read them. */
function makeFeeds({ hosts, options: { clock } }: World, channels: Channels) {
  const watch = ({ id }: Video) => `${hosts.www()}/watch?v=${id}`;
  const author = ({ id, title }: Channel) =>
    `<name>${text(title)}</name><uri>${text(`${hosts.www()}/channel/${id}`)}</uri>`;
  const entry = (video: Video) =>
    `<entry><id>yt:video:${video.id}</id><yt:videoId>${video.id}</yt:videoId><yt:channelId>${video.page_id}</yt:channelId>` +
    `<title>${text(video.about.title)}</title>${link('alternate', watch(video))}` +
    `<author>${author(channels.get(video.page_id)!)}</author>` +
    `<published>${wireTime(video.at)}</published><updated>${wireTime(clock.now())}</updated></entry>`;
  const feed = (topic: string, inside: string) =>
    `<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns:yt="http://www.youtube.com/xml/schemas/2015" ` +
    `xmlns:at="http://purl.org/atompub/tombstones/1.0" xmlns="http://www.w3.org/2005/Atom">` +
    `${link('hub', `${hosts.hub()}/subscribe`)}${link('self', topic)}<title>YouTube video feed</title>` +
    `<updated>${wireTime(clock.now())}</updated>${inside}</feed>`;
  const deleted = (video: Video) =>
    `<at:deleted-entry ref="yt:video:${video.id}" when="${wireTime(clock.now())}">${link('alternate', watch(video))}` +
    `<at:by>${author(channels.get(video.page_id)!)}</at:by></at:deleted-entry>`;
  return Object.freeze({ entry, deleted, feed });
}

/** Delivers what waits to everybody whose lease goes on, signed with the secret of each. */
function startPushes({ docs, options: { clock } }: World, pushes: Pushes, feeds: ReturnType<typeof makeFeeds>): void {
  pushes.start({
    bundle: (updates) =>
      updates.flatMap(({ page_id, item }) =>
        docs
          .list('subscription', { page: page_id })
          .filter(({ until }) => until > clock.now())
          .map(({ callback, topic }) => ({
            url: callback,
            body: feeds.feed(topic, String(item)),
            accounts: [page_id],
          })),
      ),
    request({ url, body }, isWrong) {
      const secret = docs.list('subscription').find(({ callback }) => callback === url)?.secret ?? '';
      const mac = createHmac('sha1', isWrong ? 'wrong' : secret)
        .update(body)
        .digest('hex');
      const headers = {
        'content-type': 'application/atom+xml',
        ...(secret !== '' && { 'x-hub-signature': `sha1=${mac}` }),
      };
      return { url, body, headers };
    },
    waits: [60_000, 10 * 60_000, HOUR],
    lastTry: 24 * HOUR,
  });
}

export type Hub = ReturnType<typeof makeHub>;

export function makeHub(world: World, channels: Channels, videos: Videos) {
  const { docs, options, settings } = world;
  const { clock, complain } = options;
  const pushes = openPushes({ ...options, network: ABOUT.slug, prefix: ABOUT.prefix, settings });
  const feeds = makeFeeds(world, channels);
  const verifying = new Set<Promise<void>>();

  startPushes(world, pushes, feeds);
  const announce = (video: Video, item: string) => pushes.add({ page_id: video.page_id, kind: 'video', item });

  /** Asks the callback whether it wants this, and keeps the subscription or ends it. */
  async function verify(mode: string, wanted: Omit<Subscription, 'at' | 'until'>, lease: number): Promise<void> {
    const { callback, topic } = wanted;
    const challenge = randomText(20);
    const url = new URL(callback);
    const asked = { 'hub.mode': mode, 'hub.topic': topic, 'hub.challenge': challenge };
    for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value);
    if (mode === 'subscribe') url.searchParams.set('hub.lease_seconds', String(lease));
    const request = { method: 'GET', url: url.href };
    const isProof = ({ status = 0, text: said }: Readonly<{ status: number | undefined; text: string }>) =>
      status >= 200 && status <= 299 && said === challenge;
    if (!(await pushes.handshake(callback, request, isProof))) return;
    if (mode === 'unsubscribe') docs.remove('subscription', wanted.id);
    else docs.put('subscription', { ...wanted, at: clock.now(), until: clock.now() + lease * 1000 });
  }

  /** The channel of a topic, in its newer and older spelling. */
  function channelOf(topic: string): Channel | undefined {
    if (!URL.canParse(topic) || !new URL(topic).pathname.endsWith('/feeds/videos.xml')) return undefined;
    return channels.get(new URL(topic).searchParams.get('channel_id') ?? '');
  }

  return Object.freeze({
    pushes: {
      ...pushes,
      async settle() {
        while (verifying.size > 0) await Promise.all(verifying);
        await pushes.settle();
      },
    },
    /** A video is new or says something new; subscribers hear of it if it is public. Inside a transaction. */
    changed(video: Video): void {
      if (videos.privacyOf(video) === 'public') announce(video, feeds.entry(video));
    },
    /** Takes a video away. Inside a transaction. */
    removed(video: Video): void {
      const versions = [...video.versions, { action: 'delete', at: clock.now(), record: {} } as const];
      if (videos.privacyOf(video) === 'public') announce(video, feeds.deleted(video));
      docs.change('video', video.id, { deleted_at: clock.now(), versions });
    },
    /** Answers `/subscribe`. */
    async subscribe(ctx: Context, rest: readonly string[]): Promise<void> {
      if (ctx.method !== 'POST' || rest.join('/') !== 'subscribe') return;
      const form = new URLSearchParams(String((await readBody(ctx, MOST_BODY)) ?? ''));
      const field = (name: string) => form.get(`hub.${name}`) ?? '';
      const [mode, topic, callback, secret] = [field('mode'), field('topic'), field('callback'), field('secret')];
      const refuse = (why: string) => void Object.assign(ctx, { status: 400, type: 'text', body: why });
      const channel = channelOf(topic);
      if (mode !== 'subscribe' && mode !== 'unsubscribe') return refuse('Invalid value for hub.mode');
      if (!URL.canParse(callback) || !/^https?:/.test(callback)) return refuse('Invalid parameter: hub.callback');
      if (channel === undefined) return refuse('Invalid parameter: hub.topic');
      if (secret.length > MOST_SECRET) return refuse('Invalid parameter: hub.secret');
      const lease = Math.min(MOST_LEASE_S, Number(field('lease_seconds')) || USUAL_LEASE_S);
      const wanted = { id: `${callback} ${topic}`, page_id: channel.id, callback, topic, secret };
      const proof = verify(mode, wanted, lease).catch((error: unknown) => complain(error, 'youtube hub'));
      if (field('verify') === 'sync') await proof;
      verifying.add(proof);
      void proof.finally(() => verifying.delete(proof));
      ctx.status = field('verify') === 'sync' ? 204 : 202;
      ctx.body = '';
    },
    /** Answers `/xml/feeds/videos.xml`. */
    feed(ctx: Context, rest: readonly string[]): void {
      const channel = channels.get(String(ctx.query['channel_id'] ?? ''));
      if (ctx.method !== 'GET' || rest.join('/') !== 'xml/feeds/videos.xml' || channel === undefined) return;
      const newest = videos.of(channel.id).filter(videos.isPublic).toReversed().slice(0, 15);
      ctx.type = 'application/atom+xml';
      ctx.body = feeds.feed(ctx.URL.href, newest.map(feeds.entry).join(''));
    },
  });
}
