import { badParam, GraphError } from '../../graph/api/errors.ts';
import type { Video } from '../docs.ts';
import { graphTime } from '../../graph/ids.ts';
import { readTiming, type Publication } from '../posts/publication.ts';
import { own, type NodeType } from '../../graph/api/render.ts';
import type { VideoStates } from './state.ts';
import { within } from '../../graph/api/methods.ts';
import { drawList, drawOne, fileUrl, live, type Call, type Methods } from '../../graph/world.ts';
import { methodsOf, READ, WRITE, type World } from '../world.ts';

const LARGEST = 1024 * 1024 * 1024;
/** The size of chunks that the API asks for. */
const CHUNK = 4 * 1024 * 1024;
const CREATE =
  `ad_breaks application_id backdated_post call_to_action content_category content_tags custom_labels description
  embeddable end_offset expiration fbuploader_video_file_chunk feed_targeting file_size file_url is_explicit_share no_story
  published reference_only scheduled_publish_time secret social_actions source start_offset targeting thumb title
  unpublished_content_type upload_phase upload_session_id video_file_chunk`.split(/\s+/);
const EDIT = `call_to_action content_category content_tags custom_labels description embeddable expiration name
  preferred_thumbnail_id privacy publish_to_news_feed publish_to_videos_tab published scheduled_publish_time social_actions
  tags targeting title`.split(/\s+/);

const badVideo = (subcode: number, says: string) =>
  new GraphError(6000, 'There was a problem uploading your video file. Please try again with another file.', {
    subcode,
    says,
  });

const wordsOf = ({ params }: Call) => {
  const title = params.text('title');
  const description = params.text('description');
  return { ...(title !== undefined && { title }), ...(description !== undefined && { description }) };
};

function makeUploads(world: World, states: VideoStates, look: NodeType<Video>) {
  const { files, fetching, nodes, clock, store } = world;

  async function fill(video: Video, call: Call): Promise<void> {
    const url = call.params.text('file_url');
    const upload = call.params.files.get('source');
    if (upload !== undefined) files.write(video.blob, 0, upload.bytes);
    else {
      const blob = await fetching.media(url ?? '', LARGEST);
      if (blob === undefined)
        throw new GraphError(389, '(#389) Unable to fetch video file from URL.', { subcode: 2061006 });
      nodes.change('video', video.id, { blob: blob.id });
    }
  }

  async function whole(call: Call, id: string): Promise<object> {
    if (call.params.text('file_url') === undefined && !call.params.files.has('source'))
      throw badParam('No video file was given', { subcode: 1363019 });
    const timing = readTiming(call.params, clock.now());
    const video = states.open({ page_id: id, made_by: 'videos' });
    await fill(video, call);
    const ready = await states.uploaded(video.id);
    if (ready.failed === true) throw badVideo(1363024, 'The video file has a format that is not supported.');
    states.want(video.id, timing, wordsOf(call));
    const fields = call.params.text('fields');
    return fields === undefined ? { id: video.id } : drawOne(call, look, live(nodes.get('video', video.id), id));
  }

  const offsets = ({ received, file_size = 0 }: Video) => ({
    start_offset: String(received),
    end_offset: String(Math.min(file_size, received + CHUNK)),
  });

  function start(call: Call, id: string): object {
    const file_size = call.params.whole('file_size');
    if (file_size === undefined || file_size === 0 || file_size > LARGEST)
      throw badParam('Param file_size must be the number of bytes of the file');
    const video = states.open({ page_id: id, made_by: 'videos', file_size });
    return { video_id: video.id, upload_session_id: sessionOf(video.id), ...offsets(video) };
  }

  function session(call: Call, page: string): Video {
    const id = /^9(\d+)$/.exec(call.params.required('upload_session_id'))?.[1] ?? '';
    const video = nodes.get('video', id);
    if (video === undefined || video.page_id !== page || video.made_by !== 'videos')
      throw badVideo(1363026, 'The upload session does not exist.');
    return video;
  }

  function transfer(call: Call, id: string): object {
    const video = session(call, id);
    const from = call.params.whole('start_offset');
    const chunk =
      call.params.files.get('video_file_chunk')?.bytes ??
      Buffer.from(call.params.text('video_file_chunk') ?? '', 'latin1');
    if (from !== video.received || video.uploaded)
      throw new GraphError(6001, 'There was a problem uploading your video. Please try again.', {
        subcode: 1363037,
        is_transient: true,
        data: offsets(video),
      });
    const received = from + chunk.length;
    if (chunk.length === 0 || received > (video.file_size ?? 0))
      throw badVideo(1363021, 'The piece does not fit into the file.');
    store.write(() => {
      files.write(video.blob, from, chunk);
      nodes.change('video', video.id, { received });
    });
    return offsets({ ...video, received });
  }

  async function finish(call: Call, id: string): Promise<object> {
    const video = session(call, id);
    if (video.received !== video.file_size) throw badVideo(1363022, 'The file is not complete.');
    const timing = readTiming(call.params, clock.now());
    if (!video.uploaded) await states.uploaded(video.id);
    if (nodes.get('video', video.id)?.failed === true)
      throw badVideo(1363024, 'The video file has a format that is not supported.');
    if (!video.finished) {
      nodes.change('video', video.id, { finished: true });
      states.want(video.id, timing, wordsOf(call));
    }
    return { success: true };
  }

  function create(call: Call, id: string): object | Promise<object> {
    const phase = call.params.oneOf('upload_phase', ['start', 'transfer', 'finish', 'cancel'] as const);
    if (phase === 'start') return start(call, id);
    if (phase === 'transfer') return transfer(call, id);
    if (phase === 'finish') return finish(call, id);
    if (phase === undefined) return whole(call, id);
    nodes.change('video', session(call, id).id, { deleted_at: clock.now() });
    return { success: true };
  }

  return create;
}

function videoLook(world: World, states: VideoStates) {
  const { hosts, people } = world;

  const look: NodeType<Video> = {
    name: 'Video',
    id: ({ id }) => id,
    defaultFields: ['description', 'updated_time'],
    fields: {
      ...own<Video>('title', 'description', 'published', 'views'),
      created_time: ({ at }) => graphTime(at),
      updated_time: ({ at }) => graphTime(at),
      permalink_url: ({ id }) => `/reel/${id}/`,
      post_id: ({ post_id, published }) => (published ? post_id.split('_')[1] : undefined),
      status: (video) => states.status(video),
      length: ({ uploaded }) => (uploaded ? 5 : undefined),
      source: (video) => (states.isReady(video) ? fileUrl(world, video.blob) : undefined),
      picture: ({ id }) => `${hosts.cdn()}/picture/${id}.png`,
      from: ({ page_id }) => ({ name: people.page(page_id)?.name, id: page_id }),
      scheduled_publish_time: ({ scheduled_at }) => (scheduled_at === undefined ? undefined : graphTime(scheduled_at)),
    },
  };

  return look;
}

export function makeVideos(world: World, states: VideoStates, publication: Publication): Methods {
  const { store, nodes, clock, settings } = world;
  const { reads, writes, changes, readsOf, writesOf } = methodsOf(world);
  const look = videoLook(world, states);
  const create = makeUploads(world, states, look);

  function update(call: Call, video: Video): object {
    const { id } = video;
    const published = call.params.flag('published');
    if (published === false && video.published) throw badParam('A published video cannot be unpublished');
    if (published === true && !settings.get('drafts')) throw badParam('Invalid parameter');
    const words = wordsOf(call);
    if (published === true && !video.published) states.want(id, { is_published: true }, words);
    else store.write(() => nodes.change('video', id, words));
    const { description } = words;
    const post = nodes.get('post', video.post_id);
    if (post !== undefined && description !== undefined && post.message !== description)
      store.write(() => publication.edit(post.id, description));
    return { success: true };
  }

  const listed = (edge: string, made: Video['made_by']): Methods => ({
    [`GET page/${edge}`]: readsOf(READ, ['type'], (call, id) => {
      const rows = nodes
        .list('video', { page: id })
        .filter((video) => video.made_by === made && video.published && video.deleted_at === undefined);
      return drawList(call, look, `${id}/${edge}`, within(call, rows).toReversed());
    }),
  });

  return Object.freeze({
    'POST page/videos': writesOf(WRITE, CREATE, create),
    ...listed('videos', 'videos'),
    ...listed('video_reels', 'video_reels'),
    'GET video': reads('video', READ, [], (call, video) => {
      const asksStatus = call.params.text('fields')?.includes('status') === true;
      return drawOne(call, look, asksStatus ? states.look(video.id) : video);
    }),
    'POST video': writes('video', WRITE, EDIT, update),
    'DELETE video': changes('video', WRITE, [], (_call, { id, post_id }) => {
      publication.remove(post_id);
      nodes.change('video', id, { deleted_at: clock.now() });
    }),
  });
}

const sessionOf = (video: string) => `9${video}`;
