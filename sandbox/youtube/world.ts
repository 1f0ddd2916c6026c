import { createHash } from 'node:crypto';
import type { openLogin } from '../googleapis/login.ts';
import { digits, fixedId, randomText } from '../kit/ids.ts';
import type { TwinOptions } from '../kit/options.ts';
import type { Person } from '../kit/people.ts';
import { moveIn } from '../kit/residents.ts';
import { openWorld as openKit } from '../kit/world.ts';
import { ABOUT } from './about.ts';
import { SETTINGS, type Channel, type Video, type YoutubeDocs } from './docs.ts';

export type Login = ReturnType<typeof openLogin>;

export function openWorld(options: TwinOptions) {
  const own = { settings: SETTINGS, userAgent: 'youtube-mediafetcher', newId: () => digits(16), start: '10' };
  const base = openKit<YoutubeDocs, typeof SETTINGS, never>(options, ABOUT, own);
  const { webHost, apiHost } = base;
  const hosts = { googleapis: apiHost('googleapis'), hub: apiHost('hub'), cdn: webHost('cdn'), www: webHost('www') };
  return Object.freeze({ ...base, hosts });
}
export type World = ReturnType<typeof openWorld>;

export const newVideoId = (): string => randomText(8).slice(0, 11);

const channelIdOf = (name: string): string =>
  `UC${createHash('sha256').update(`${ABOUT.slug} ${name}`).digest('base64url').slice(0, 22)}`;

export const uploadsOf = (channel: string): string => `UU${channel.slice(2)}`;

export const pictureOf = ({ hosts }: Pick<World, 'hosts'>, id: string): string =>
  `${hosts.cdn()}/picture/${fixedId(ABOUT.slug, 'picture', id)}.png`;

/** Google users with one channel, with two and with none. */
const OWNERS = Object.freeze([
  ['olivia.sandbox.test', 'Olivia Harbour', ['Harbour Coffee']],
  ['sam.sandbox.test', 'Sam Single', ['Single Origin', 'Second Cup']],
  ['nora.sandbox.test', 'Nora Newcomer', []],
] as const);

export function makeChannels({ docs, people, options: { store, clock } }: World) {
  const make = (person: string, title: string): Channel => {
    const id = channelIdOf(`${person} ${title}`);
    const handle = `@${title.toLowerCase().replaceAll(/[^\p{L}\d]+/gu, '')}`;
    const channel = { id, at: clock.now(), page_id: person, title, handle, subscribers: 0 };
    return docs.get('channel', id) ?? docs.put('channel', channel);
  };
  const ownOf = (person: string) => docs.list('channel', { page: person });

  store.write(() => {
    moveIn(people, OWNERS);
    for (const [handle, , titles] of OWNERS) for (const title of titles) make(people.find(handle)!.id, title);
  });

  return Object.freeze({
    make,
    ownOf,
    all: () => docs.list('channel'),
    get: (id: string) => docs.get('channel', id),
    find: (words: string): Channel | undefined =>
      docs.list('channel').find(({ id, handle, title }) => [id, handle, title].includes(words)) ??
      ownOf(people.find(words)?.id ?? '')[0],
    /** The channel as which a person comments; it has no videos. */
    commenting: ({ id }: Person): string => channelIdOf(id),
    nameOf: (channel: string): string =>
      docs.get('channel', channel)?.handle ??
      `@${
        people
          .all()
          .find(({ id }) => channelIdOf(id) === channel)
          ?.handle.split('.')[0] ?? 'user'
      }`,
  });
}
export type Channels = ReturnType<typeof makeChannels>;

export function makeVideos({ docs, options: { clock } }: World) {
  function stateOf({ ready_at, ending }: Video): Readonly<{ state: string; reason?: string | undefined }> {
    if (ready_at > clock.now()) return { state: 'uploaded' };
    const [state = 'processed', reason] = ending.split(':');
    return { state, reason };
  }
  const privacyOf = ({ about }: Video) =>
    about.privacyStatus === 'private' && about.publishAt !== undefined && about.publishAt <= clock.now()
      ? 'public'
      : about.privacyStatus;
  return Object.freeze({
    stateOf,
    privacyOf,
    get: (id: string): Video | undefined => docs.getLive('video', id),
    of: (channel: string) => docs.listLive('video', { page: channel }),
    /** Whether it is shown in the channel's lists. */
    isPublic: (video: Video): boolean => privacyOf(video) === 'public' && stateOf(video).state === 'processed',
  });
}
export type Videos = ReturnType<typeof makeVideos>;
