import { createHash } from 'node:crypto';
import { isoTime } from '#kernel/clock.ts';
import { tableOf } from '#kernel/text/table.ts';
import type { Channel, Comment, Fields, Video } from './docs.ts';
import { pictureOf, uploadsOf, type Channels, type Videos, type World } from './world.ts';

const SIZES = { default: [120, 90], medium: [320, 180], high: [480, 360] } as const;

const etagOf = (body: unknown): string =>
  createHash('sha1').update(JSON.stringify(body)).digest('base64url').slice(0, 27);

export const resource = (kind: string, body: Fields): Fields => ({
  kind: `youtube#${kind}`,
  etag: etagOf(body),
  ...body,
});

const partsOf = (parts: readonly string[], all: Readonly<Record<string, () => unknown>>): Fields =>
  Object.fromEntries(parts.flatMap((name) => (Object.hasOwn(all, name) ? [[name, all[name]!()]] : [])));

const makeThumbnails =
  (world: World) =>
  (id: string, blob?: string): Fields => {
    const url = blob === undefined ? pictureOf(world, id) : `${world.hosts.cdn()}/${blob}`;
    return Object.fromEntries(Object.entries(SIZES).map(([name, [width, height]]) => [name, { url, width, height }]));
  };

function commentViews(world: World, channels: Channels) {
  const { hosts } = world;
  function commentOf(comment: Comment): Fields {
    const { id, page_id, parent_id, video, author, text, image, likes, at, changed_at, state } = comment;
    const snippet = {
      channelId: page_id,
      videoId: video,
      textDisplay: text,
      textOriginal: text,
      ...(image !== undefined && { imageUrl: image }),
      ...(parent_id !== undefined && { parentId: parent_id }),
      authorDisplayName: channels.nameOf(author),
      authorProfileImageUrl: pictureOf(world, author),
      authorChannelUrl: `${hosts.www()}/${channels.nameOf(author)}`,
      authorChannelId: { value: author },
      canRate: true,
      viewerRating: 'none',
      likeCount: likes,
      ...(state !== 'published' && { moderationStatus: state }),
      publishedAt: isoTime(at),
      updatedAt: isoTime(changed_at),
    };
    return resource('comment', { id, snippet });
  }
  return Object.freeze({
    commentOf,
    thread: (top: Comment, replies: readonly Comment[], parts: readonly string[]): Fields =>
      resource('commentThread', {
        id: top.id,
        ...partsOf(parts, {
          id: () => top.id,
          snippet: () => ({
            channelId: top.page_id,
            videoId: top.video,
            topLevelComment: commentOf(top),
            canReply: true,
            totalReplyCount: replies.length,
            isPublic: top.state === 'published',
          }),
          ...(replies.length > 0 && { replies: () => ({ comments: replies.slice(0, 5).map(commentOf) }) }),
        }),
      }),
  });
}

function videoViews(world: World, channels: Channels, videos: Videos) {
  const { docs } = world;
  const thumbnails = makeThumbnails(world);
  const commentsOn = (video: string) =>
    docs
      .listLive('comment', { page: docs.get('video', video)?.page_id ?? '' })
      .filter((one) => one.video === video && one.state === 'published').length;

  function statistics({ id, views, likes, hidesLikes, commentsDisabled, about }: Video): Fields {
    return {
      viewCount: String(views),
      ...(hidesLikes !== true && { likeCount: String(likes) }),
      favoriteCount: '0',
      ...(commentsDisabled !== true && !about.madeForKids && { commentCount: String(commentsOn(id)) }),
    };
  }
  function statusOf(video: Video): Fields {
    const { state, reason } = videos.stateOf(video);
    const { publishAt, license, embeddable, publicStatsViewable, madeForKids, containsSyntheticMedia } = video.about;
    const privacyStatus = videos.privacyOf(video);
    return {
      uploadStatus: state,
      ...(state === 'failed' && { failureReason: reason }),
      ...(state === 'rejected' && { rejectionReason: reason }),
      privacyStatus,
      ...(publishAt !== undefined && privacyStatus === 'private' && { publishAt: isoTime(publishAt) }),
      license,
      embeddable,
      publicStatsViewable,
      madeForKids,
      selfDeclaredMadeForKids: madeForKids,
      containsSyntheticMedia,
    };
  }
  const shared = ({ id, about, page_id, at, thumb }: Video) => ({
    publishedAt: isoTime(at),
    channelId: page_id,
    title: about.title,
    description: about.description,
    thumbnails: thumbnails(id, thumb),
    channelTitle: channels.get(page_id)?.title ?? '',
  });
  const PROCESSING: ReadonlyMap<string, string> = tableOf({
    uploaded: 'processing',
    processed: 'succeeded',
    failed: 'failed',
  });

  return Object.freeze({
    thumbnails,
    statistics,
    video: (video: Video, parts: readonly string[]): Fields =>
      resource('video', {
        id: video.id,
        ...partsOf(parts, {
          snippet: () => {
            const { tags, categoryId, defaultLanguage } = video.about;
            const more = { ...(tags.length > 0 && { tags }), categoryId, liveBroadcastContent: 'none' };
            return { ...shared(video), ...more, ...(defaultLanguage !== undefined && { defaultLanguage }) };
          },
          status: () => statusOf(video),
          statistics: () => statistics(video),
          contentDetails: () => ({ duration: 'PT3S', dimension: '2d', definition: 'hd', caption: 'false' }),
          recordingDetails: () => ({ recordingDate: video.about.recordingDate }),
          processingDetails: () => ({ processingStatus: PROCESSING.get(videos.stateOf(video).state) ?? 'terminated' }),
        }),
      }),
    playlistItem: (video: Video, position: number, parts: readonly string[]): Fields => {
      const { id, page_id, at } = video;
      const resourceId = { kind: 'youtube#video', videoId: id };
      const place = { playlistId: uploadsOf(page_id), position, resourceId };
      return resource('playlistItem', {
        id: Buffer.from(`${uploadsOf(page_id)} ${id}`).toString('base64url'),
        ...partsOf(parts, {
          snippet: () => ({ ...shared(video), ...place }),
          contentDetails: () => ({ videoId: id, videoPublishedAt: isoTime(at) }),
          status: () => ({ privacyStatus: videos.privacyOf(video) }),
        }),
      });
    },
  });
}

export function makeViews(world: World, channels: Channels, videos: Videos) {
  const ofVideos = videoViews(world, channels, videos);
  const { thumbnails } = ofVideos;
  return Object.freeze({
    ...ofVideos,
    ...commentViews(world, channels),
    channel: ({ id, title, handle, at, subscribers }: Channel, parts: readonly string[]): Fields =>
      resource('channel', {
        id,
        ...partsOf(parts, {
          snippet: () => ({
            title,
            description: `The channel of ${title}`,
            customUrl: handle,
            publishedAt: isoTime(at),
            thumbnails: thumbnails(id),
          }),
          contentDetails: () => ({ relatedPlaylists: { likes: '', uploads: uploadsOf(id) } }),
          statistics: () => {
            const own = videos.of(id);
            return {
              viewCount: String(own.reduce((sum, { views }) => sum + views, 0)),
              subscriberCount: String(subscribers),
              hiddenSubscriberCount: false,
              videoCount: String(own.filter(videos.isPublic).length),
            };
          },
          status: () => ({
            privacyStatus: 'public',
            isLinked: true,
            longUploadsStatus: world.settings.get('verified') ? 'allowed' : 'eligible',
            madeForKids: false,
          }),
        }),
      }),
  });
}
export type Views = ReturnType<typeof makeViews>;
