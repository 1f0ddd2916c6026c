import { DAY } from '#kernel/clock.ts';
import { badParam, GraphError } from '../../graph/api/errors.ts';
import type { Post } from '../docs.ts';
import { seconds } from '../../graph/ids.ts';
import { readTiming } from '../posts/publication.ts';
import type { NodeType } from '../../graph/api/render.ts';
import type { VideoStates } from './state.ts';
import { drawList, type Call, type Methods } from '../../graph/world.ts';
import { methodsOf, READ, WRITE, type World } from '../world.ts';

const PHASES = Object.freeze(['start', 'finish'] as const);
const STATES = Object.freeze(['PUBLISHED', 'SCHEDULED', 'DRAFT'] as const);
const PARAMS =
  'description feed_targeting place scheduled_publish_time targeting title upload_phase video_id video_state'.split(
    ' ',
  );
const MOST_A_DAY = 30;

type Made = 'video_reels' | 'video_stories';

/** Reels and stories, which are uploaded in three phases, and the list of stories. */
export function makeReels(world: World, states: VideoStates): Methods {
  const { nodes, clock, hosts } = world;
  const { readsOf, writesOf } = methodsOf(world);

  function start(call: Call, id: string, made_by: Made): object {
    const video = states.open({ page_id: id, made_by });
    return { video_id: video.id, upload_url: `${hosts.rupload()}/video-upload/${call.version}/${video.id}` };
  }

  function finish(call: Call, id: string, made_by: Made): object {
    const { params } = call;
    const videoId = params.required('video_id');
    const video = nodes.get('video', videoId);
    if (video === undefined || video.page_id !== id || video.made_by !== made_by || video.deleted_at !== undefined)
      throw badParam('Param video_id must be a valid video id');
    const state = params.oneOf('video_state', STATES) ?? 'PUBLISHED';
    if (!video.uploaded)
      throw new GraphError(6000, 'The video file is not uploaded yet', { subcode: 1363130, is_transient: false });
    if (video.failed === true)
      throw new GraphError(6000, 'There was a problem uploading your video file. Please try again with another file.', {
        subcode: 1363024,
      });
    // A video makes one post, even if the upload is finished several times.
    if (!video.finished) {
      const day = clock.now() - DAY;
      const recent = nodes
        .list('video', { page: id })
        .filter((one) => one.made_by === 'video_reels' && one.finished && one.at > day);
      if (made_by === 'video_reels' && recent.length >= MOST_A_DAY)
        throw new GraphError(613, '(#613) Calls to this api have exceeded the rate limit.');
      const later = () => (state === 'DRAFT' ? { is_published: false } : scheduled(call));
      const timing = state === 'PUBLISHED' ? { is_published: true } : later();
      const title = params.text('title');
      const description = params.text('description');
      nodes.change('video', videoId, { finished: true });
      states.want(videoId, timing, {
        ...(title !== undefined && { title }),
        ...(description !== undefined && { description }),
      });
    }
    return { success: true, ...(state === 'PUBLISHED' && { post_id: video.post_id.split('_')[1] }) };
  }

  function scheduled({ params }: Call) {
    params.required('scheduled_publish_time');
    const at = params.time('scheduled_publish_time');
    return readTiming({ ...params, flag: () => false, time: () => at, oneOf: () => undefined }, clock.now());
  }

  const phases = (made: Made) =>
    writesOf(WRITE, PARAMS, (call, id) => {
      const phase = call.params.oneOf('upload_phase', PHASES);
      if (phase === undefined) throw badParam('The parameter upload_phase is required');
      return phase === 'start' ? start(call, id, made) : finish(call, id, made);
    });

  const storyLook: NodeType<Post> = {
    name: 'Stories',
    defaultFields: ['post_id', 'status', 'creation_time', 'media_type', 'media_id', 'url'],
    fields: {
      post_id: ({ id }) => id.split('_')[1],
      status: ({ at }) => (at + DAY > clock.now() ? 'PUBLISHED' : 'ARCHIVED'),
      creation_time: ({ at }) => String(seconds(at)),
      media_type: ({ story }) => story,
      media_id: ({ photos, video }) => video ?? photos[0],
      url: ({ page_id, id }) => `${hosts.www()}/stories/${page_id}/${id.split('_')[1]}`,
    },
  };

  return Object.freeze({
    'POST page/video_reels': phases('video_reels'),
    'POST page/video_stories': phases('video_stories'),
    'GET page/stories': readsOf(READ, ['status'], (call, id) => {
      const now = clock.now();
      const isVisible = ({ story, deleted_at, is_published, listed_from }: Post) =>
        story !== undefined && deleted_at === undefined && is_published && listed_from <= now;
      return drawList(
        call,
        storyLook,
        `${id}/stories`,
        nodes.list('post', { page: id }).filter(isVisible).toReversed(),
      );
    }),
  });
}
