import type { GoogleCall, GoogleRoute } from '../../googleapis/calls.ts';
import { answer } from '../../kit/api/routes.ts';
import type { Channel, Video } from '../docs.ts';
import { badParameter, forbidden, missing, notFound } from '../errors.ts';
import { uploadsOf } from '../world.ts';
import { readAbout } from './about.ts';
import { channelOf, listed, on, partIn, wordsOf, type Parts } from './calls.ts';

const MOST = 50;
const FEW = { most: MOST, usual: 5 };

export function videoRoutes(parts: Parts): readonly GoogleRoute[] {
  const { world, channels, videos, views, hub } = parts;
  const { docs, options, settings } = world;
  const { store, clock } = options;

  const isOwn = (call: GoogleCall, { page_id }: Video) => call.caller.profiles[0] === page_id;
  function named(call: GoogleCall): readonly Video[] {
    const ids = wordsOf(call, 'id');
    if (ids.length === 0) throw missing('id');
    if (ids.length > MOST) throw badParameter('id', 'Too many ids.');
    const found = ids.map((id) => videos.get(id));
    return found.filter(
      (one): one is Video => one !== undefined && (isOwn(call, one) || videos.privacyOf(one) !== 'private'),
    );
  }
  function own(call: GoogleCall, id: unknown): Video {
    const found = typeof id === 'string' ? videos.get(id) : undefined;
    if (found === undefined) throw notFound('video');
    if (found.page_id !== channelOf(parts, call).id) throw forbidden();
    return found;
  }

  function findChannels(call: GoogleCall): readonly Channel[] {
    const { params } = call;
    if (params.flag('mine') === true) {
      const channel = channels.get(call.caller.profiles[0] ?? '');
      if (channel === undefined && settings.get('signup_required')) channelOf(parts, call);
      return channel === undefined ? [] : [channel];
    }
    const handle = params.text('forHandle');
    const ids = wordsOf(call, 'id');
    if (handle === undefined && ids.length === 0) throw missing('id, mine, forHandle');
    const at = (name: string) => (name.startsWith('@') ? name : `@${name}`);
    return channels.all().filter((one) => ids.includes(one.id) || (handle !== undefined && one.handle === at(handle)));
  }

  function uploads(call: GoogleCall): readonly Video[] {
    const id = call.params.text('playlistId');
    if (id === undefined) throw missing('playlistId, id');
    const channel = channels.all().find((one) => uploadsOf(one.id) === id);
    if (channel === undefined) throw notFound('playlist');
    const isMine = call.caller.profiles[0] === channel.id;
    return videos
      .of(channel.id)
      .filter((one) => isMine || videos.isPublic(one))
      .toReversed();
  }

  return [
    on('GET', '/youtube/v3/channels', 'read', (call) => {
      const wanted = partIn(call);
      return listed(call, 'channel', findChannels(call), FEW, (one) => views.channel(one, wanted));
    }),
    on('GET', '/youtube/v3/videos', 'read', (call) => {
      const wanted = partIn(call);
      return listed(call, 'video', named(call), { most: MOST, usual: MOST }, (one) => views.video(one, wanted));
    }),
    on('PUT', '/youtube/v3/videos', 'write', (call) => {
      const wanted = partIn(call);
      const video = own(call, call.params.values['id']);
      const about = readAbout(call.params.values, wanted, clock.now(), video.about);
      const versions = [...video.versions, { action: 'update', at: clock.now(), record: about } as const];
      const changed = store.write(() => docs.change('video', video.id, { about, versions }));
      hub.changed(changed);
      return views.video(changed, wanted);
    }),
    on('DELETE', '/youtube/v3/videos', 'write', (call) => {
      const video = own(call, call.params.required('id'));
      store.write(() => hub.removed(video));
      return answer('', 204);
    }),
    on('GET', '/youtube/v3/playlistItems', 'read', (call) => {
      const wanted = partIn(call);
      return listed(call, 'playlistItem', uploads(call), FEW, (one, at) => views.playlistItem(one, at, wanted));
    }),
  ];
}
