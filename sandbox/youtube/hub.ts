/** The videos of a channel as feeds, for the hub and for everybody. */
import type { Context } from 'koa';
import { isoTime } from '#kernel/clock.ts';
import { openHub } from '../kit/push/websub.ts';
import { ABOUT } from './about.ts';
import type { Channel, Video } from './docs.ts';
import type { Channels, Videos, World } from './world.ts';

const text = (words: string): string =>
  words.replace(/[&<>"']/g, (one) => `&#${one.codePointAt(0)};`).replaceAll(/[^\P{Cc}\n\t]/gu, '');
const link = (rel: string, href: string) => `<link rel="${rel}" href="${text(href)}"/>`;

function makeFeeds({ hosts, options: { clock } }: World, channels: Channels) {
  const watch = ({ id }: Video) => `${hosts.www()}/watch?v=${id}`;
  const author = ({ id, title }: Channel) =>
    `<name>${text(title)}</name><uri>${text(`${hosts.www()}/channel/${id}`)}</uri>`;
  const entry = (video: Video) =>
    `<entry><id>yt:video:${video.id}</id><yt:videoId>${video.id}</yt:videoId><yt:channelId>${video.page_id}</yt:channelId>` +
    `<title>${text(video.about.title)}</title>${link('alternate', watch(video))}` +
    `<author>${author(channels.get(video.page_id)!)}</author>` +
    `<published>${isoTime(video.at)}</published><updated>${isoTime(clock.now())}</updated></entry>`;
  const feed = (topic: string, inside: string) =>
    `<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns:yt="http://www.youtube.com/xml/schemas/2015" ` +
    `xmlns:at="http://purl.org/atompub/tombstones/1.0" xmlns="http://www.w3.org/2005/Atom">` +
    `${link('hub', `${hosts.hub()}/subscribe`)}${link('self', topic)}<title>YouTube video feed</title>` +
    `<updated>${isoTime(clock.now())}</updated>${inside}</feed>`;
  const deleted = (video: Video) =>
    `<at:deleted-entry ref="yt:video:${video.id}" when="${isoTime(clock.now())}">${link('alternate', watch(video))}` +
    `<at:by>${author(channels.get(video.page_id)!)}</at:by></at:deleted-entry>`;
  return Object.freeze({ entry, deleted, feed });
}

export type Hub = ReturnType<typeof makeHub>;

export function makeHub(world: World, channels: Channels, videos: Videos) {
  const { docs, options, settings } = world;
  const feeds = makeFeeds(world, channels);
  const hub = openHub({
    world,
    network: ABOUT.slug,
    docs,
    accountOf(topic) {
      if (!URL.canParse(topic)) return undefined;
      const { pathname, searchParams } = new URL(topic);
      const [, xml] = /(\/xml)?\/feeds\/videos\.xml$/.exec(pathname) ?? [undefined, null];
      if (xml === null || (xml !== undefined) !== settings.get('hub_xml')) return undefined;
      return channels.get(searchParams.get('channel_id') ?? '')?.id;
    },
    mostLease: () => settings.get('hub_lease_s'),
    body: feeds.feed,
    type: 'application/atom+xml',
  });
  const announce = (video: Video, item: string) => hub.pushes.add({ page_id: video.page_id, kind: 'video', item });

  return Object.freeze({
    ...hub,
    async subscribe(ctx: Context, rest: readonly string[]): Promise<void> {
      if (!settings.get('hub_down')) return hub.subscribe(ctx, rest);
      ctx.set('retry-after', '120');
      Object.assign(ctx, { status: 503, type: 'text', body: 'Transient error; please try again later' });
    },
    /** Reports a new or changed video to subscribers if it is public. Inside a transaction. */
    changed(video: Video): void {
      if (videos.privacyOf(video) === 'public') announce(video, feeds.entry(video));
    },
    removed(video: Video): void {
      const versions = [...video.versions, { action: 'delete', at: options.clock.now(), record: {} } as const];
      if (videos.privacyOf(video) === 'public') announce(video, feeds.deleted(video));
      docs.change('video', video.id, { deleted_at: options.clock.now(), versions });
    },
    feed(ctx: Context, rest: readonly string[]): void {
      const channel = channels.get(String(ctx.query['channel_id'] ?? ''));
      if (ctx.method !== 'GET' || rest.join('/') !== 'xml/feeds/videos.xml' || channel === undefined) return;
      const newest = videos.of(channel.id).filter(videos.isPublic).toReversed().slice(0, 15);
      ctx.type = 'application/atom+xml';
      ctx.body = feeds.feed(ctx.URL.href, newest.map(feeds.entry).join(''));
    },
  });
}
