import { WAITING, type Video } from '../docs.ts';
import { graphTime, newId, newNumber, seconds } from '../../graph/ids.ts';
import type { Uploads } from '../../graph/media/rupload.ts';
import type { Publication, Timing } from '../posts/publication.ts';
import type { World } from '../world.ts';

type VideoStatus = Readonly<{
  video_status: string;
  uploading_phase: object;
  processing_phase: object;
  publishing_phase: object;
}>;

export type VideoStates = Readonly<{
  open(draft: Pick<Video, 'page_id' | 'made_by'> & Partial<Pick<Video, 'file_size' | 'title' | 'description'>>): Video;
  /** Starts processing after all bytes have arrived. */
  uploaded(id: string): Promise<Video>;
  /** Sets what the uploader wants to publish; it is published after processing. */
  want(id: string, timing: Timing, words: Partial<Pick<Video, 'title' | 'description'>>): Video;
  /** Applies the time that has passed, and counts a status read. */
  look(id: string): Video;
  isReady(video: Video): boolean;
  due(): void;
  status(video: Video): VideoStatus;
}>;

/** Processing ends after this time even if nobody reads the status. */
const UNWATCHED_MS = 30_000;

function stored(nodes: World['nodes'], id: string): Video {
  const video = nodes.get('video', id);
  if (video === undefined) throw new Error(`There is no video ${id}.`);
  return video;
}

function phaseOf(isComplete: unknown, isUnderWay: unknown): 'complete' | 'in_progress' | 'not_started' {
  if (isComplete) return 'complete';
  return isUnderWay ? 'in_progress' : 'not_started';
}

function stateOf({ failed, uploaded }: Video, ready: boolean) {
  if (failed) return ['error', 'error'] as const;
  if (ready) return ['ready', 'complete'] as const;
  return uploaded ? (['processing', 'in_progress'] as const) : (['uploading', 'not_started'] as const);
}

/** The status of a video, with its three phases. */
function statusOf(video: Video, ready: boolean): VideoStatus {
  const [state, processing] = stateOf(video, ready);
  const isPublishing = video.wanted && video.uploaded && !video.failed;
  const errors = video.failed ? { errors: [{ code: 1363008, message: 'The video file could not be read' }] } : {};
  return {
    video_status: state,
    uploading_phase: {
      status: phaseOf(video.uploaded, video.received > 0),
      bytes_transferred: video.received,
    },
    processing_phase: { status: processing, ...errors },
    publishing_phase: {
      status: phaseOf(video.published, isPublishing),
      ...(video.published_at !== undefined && {
        publish_status: 'published',
        publish_time: graphTime(video.published_at),
      }),
      ...(video.scheduled_at !== undefined &&
        !video.published && { publish_status: 'scheduled', publish_time: seconds(video.scheduled_at) }),
    },
  };
}

export function makeVideoStates(
  { store, nodes, clock, settings, files }: World,
  publication: Publication,
): VideoStates {
  const isReady = ({ uploaded, polls_left, ready_from, failed }: Video) =>
    uploaded &&
    failed !== true &&
    ready_from <= clock.now() &&
    (polls_left <= 0 || ready_from + UNWATCHED_MS <= clock.now());

  /** Creates the post once the video is ready and due. The post's id was fixed at the start. */
  function move(video: Video): Video {
    if (!video.wanted || video.published || !isReady(video) || video.deleted_at !== undefined) return video;
    if (video.scheduled_at !== undefined && video.scheduled_at > clock.now()) return video;
    if (nodes.get('post', video.post_id) === undefined)
      publication.create({
        id: video.post_id,
        is_published: true,
        page_id: video.page_id,
        by_app: true,
        status_type: 'added_video',
        video: video.id,
        ...(video.description !== undefined && { message: video.description }),
        ...(video.made_by === 'video_stories' && { story: 'video' }),
      });
    return nodes.change('video', video.id, { published: true, published_at: clock.now(), parent_id: undefined });
  }

  return Object.freeze({
    isReady,
    due() {
      const waiting = nodes
        .list('video', { parent: WAITING })
        .filter((video) => video.wanted && !video.published && video.deleted_at === undefined && isReady(video));
      if (waiting.length > 0) store.write(() => waiting.forEach((video) => move(video)));
    },
    open(draft: Parameters<VideoStates['open']>[0]) {
      const now = clock.now();
      const { id: blob } = files.open('video');
      return nodes.put('video', {
        ...draft,
        id: newId(),
        at: now,
        blob,
        received: 0,
        uploaded: false,
        polls_left: settings.get('video_processing_polls'),
        ready_from: now,
        published: false,
        wanted: false,
        finished: false,
        post_id: `${draft.page_id}_${newNumber()}`,
        seen_from: now + settings.get('read_lag_ms'),
        views: 0,
      });
    },
    async uploaded(id: string) {
      const { mime, size } = await files.finish(stored(nodes, id).blob);
      const isVideo = mime.startsWith('video/');
      return store.write(() => {
        const ready_from = clock.now() + settings.get('video_processing_ms');
        const video = nodes.change('video', id, {
          uploaded: true,
          received: size,
          file_size: size,
          ready_from,
          ...((!isVideo || settings.get('video_fails')) && { failed: true }),
        });
        return move(video);
      });
    },
    want(id: string, timing: Timing, words: Partial<Pick<Video, 'title' | 'description'>>) {
      return store.write(() => {
        const wanted = timing.is_published || timing.scheduled_at !== undefined;
        const patch = {
          ...words,
          wanted,
          ...(wanted && { parent_id: WAITING }),
          ...(timing.scheduled_at !== undefined && { scheduled_at: timing.scheduled_at }),
        };
        return move(nodes.change('video', id, patch));
      });
    },
    look(id: string) {
      return store.write(() => {
        const video = stored(nodes, id);
        if (!video.uploaded || video.polls_left <= 0) return move(video);
        nodes.change('video', id, { polls_left: video.polls_left - 1 });
        // This read still returns `processing`, but the next one will not.
        return video;
      });
    },
    status: (video: Video) => statusOf(video, isReady(video)),
  });
}

/** Lets the upload host fill reels and stories. */
export const uploadsOf = ({ nodes }: World, states: VideoStates): Uploads => ({
  path: 'video-upload',
  right: { scopes: ['pages_manage_posts'], task: 'CREATE_CONTENT' },
  find(id: string) {
    const video = nodes.get('video', id);
    return video?.deleted_at === undefined && video?.made_by !== 'videos' ? video : undefined;
  },
  change: (id, patch) => void nodes.change('video', id, patch),
  uploaded: states.uploaded,
});
