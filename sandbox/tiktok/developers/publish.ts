import { z } from 'zod';
import { bareNumber } from '../../kit/api/bare-ids.ts';
import { utf16 } from '../../kit/api/shapes.ts';
import { randomText } from '../../kit/ids.ts';
import { INTERACTIONS, PRIVACY, type About, type Fields } from '../docs.ts';
import { DeveloperError } from '../errors.ts';
import type { Parts } from '../parts.ts';
import { MOST_VIDEO } from '../publications.ts';
import { perMinute } from '../../kit/api/rates.ts';
import { on, read, words, type Call } from './calls.ts';

const MB = 1024 * 1024;
/** "5 to 64 MB" is ambiguous, so a chunk has to be within the limits in both units. */
const LEAST_CHUNK = 5 * MB;
const MOST_CHUNK = 64_000_000;
const MOST_CHUNKS = 1000;

const some = z.string().min(1).max(2048);
const count = z.int().min(1);
const forbids = Object.fromEntries(INTERACTIONS.map((name) => [`disable_${name}`, z.boolean().optional()]));
const brands = { brand_content_toggle: z.boolean().optional(), brand_organic_toggle: z.boolean().optional() };
const privacy_level = z.enum(PRIVACY);
const VideoInfo = z.looseObject({
  privacy_level,
  title: utf16(2200).default(''),
  video_cover_timestamp_ms: z.int().min(0).optional(),
  is_aigc: z.boolean().optional(),
  ...forbids,
  ...brands,
});
const VideoSource = z.discriminatedUnion('source', [
  z.looseObject({
    source: z.literal('FILE_UPLOAD'),
    video_size: count.max(MOST_VIDEO),
    chunk_size: count,
    total_chunk_count: count.max(MOST_CHUNKS),
  }),
  z.looseObject({ source: z.literal('PULL_FROM_URL'), video_url: some }),
]);
const PhotoInfo = z.looseObject({
  privacy_level: privacy_level.optional(),
  title: utf16(90).default(''),
  description: utf16(4000).default(''),
  disable_comment: z.boolean().optional(),
  auto_add_music: z.boolean().optional(),
  ...brands,
});
const PhotoSource = z.looseObject({
  source: z.literal('PULL_FROM_URL'),
  photo_images: z.array(some).min(1).max(35),
  photo_cover_index: z.int().min(0),
});
type Info = Partial<Pick<z.output<typeof VideoInfo>, 'privacy_level' | 'brand_content_toggle'>>;

type RateSetting = 'creator_infos_per_minute' | 'inits_per_minute' | 'states_per_minute';

function checkChunks({ video_size: size, chunk_size: chunk, total_chunk_count: n }: Record<string, number>): void {
  const isWhole = chunk === size && n === 1 && size! <= MOST_CHUNK;
  const isCut = chunk! >= LEAST_CHUNK && chunk! <= MOST_CHUNK && n === Math.floor(size! / chunk!);
  if (!isWhole && !isCut) throw words.invalid('The chunk size or the total chunk count is invalid');
}

function makeInits({ world: { docs, files, hosts }, names, publications }: Parts) {
  function aboutOf(kind: About['kind'], info: Info, title: string, text: string): About {
    const { privacy_level: privacy = 'SELF_ONLY', ...more } = info as Fields & Pick<Info, 'privacy_level'>;
    return {
      kind,
      title,
      text,
      privacy,
      forbids: INTERACTIONS.filter((name) => more[`disable_${name}`] === true),
      more,
    };
  }
  /** Throws for what the creator does not allow, and notes a post made without reading the creator info first. */
  function checkDirect({ caller: { person }, entry }: Call, { privacy_level: privacy, ...info }: Info): void {
    if (privacy === undefined) throw words.invalid('post_info.privacy_level is required');
    if (!names.privacyOf(person).includes(privacy)) throw words.refused('privacy_level_option_mismatch');
    if (info.brand_content_toggle === true && privacy === 'SELF_ONLY')
      throw words.invalid('Branded content cannot be private');
    if (names.creator(person).asked_at === undefined) entry.violation = 'creator_info was not queried before this post';
    docs.change('person', person, { asked_at: undefined });
  }
  async function initVideo(call: Call, isDraft: boolean): Promise<object> {
    const { params, caller } = call;
    const source = read(VideoSource, params.object('source_info'), 'source_info');
    const info: Info & { title: string } = isDraft
      ? { title: '' }
      : read(VideoInfo, params.object('post_info'), 'post_info');
    if (!isDraft) checkDirect(call, info);
    const about = aboutOf('video', info, '', info.title);
    const begun = { page_id: caller.person, product: 'developers', isDraft, about } as const;
    if (source.source === 'PULL_FROM_URL')
      return { publish_id: (await publications.pull(begun, [source.video_url])).id };
    checkChunks(source as never);
    const { video_size: total, chunk_size: chunk, total_chunk_count: n } = source;
    const upload = { token: randomText(24), total, chunk, count: n, stored: 0 };
    const { id } = publications.upload(begun, upload, files.open('video').id);
    const query = new URLSearchParams({ upload_id: id, upload_token: upload.token });
    return { publish_id: id, upload_url: `${hosts.upload()}/video/?${query.toString()}` };
  }
  async function initPhoto(call: Call): Promise<object> {
    const { params, caller } = call;
    if (params.required('media_type') !== 'PHOTO') throw words.invalid('media_type is not supported');
    const mode = params.oneOf('post_mode', ['DIRECT_POST', 'MEDIA_UPLOAD']);
    if (mode === undefined) throw words.invalid('post_mode is required');
    const isDraft = mode === 'MEDIA_UPLOAD';
    if (!caller.scopes.includes(isDraft ? 'video.upload' : 'video.publish')) throw words.noScope();
    const info = read(PhotoInfo, params.object('post_info') ?? {}, 'post_info');
    const source = read(PhotoSource, params.object('source_info'), 'source_info');
    if (source.photo_cover_index >= source.photo_images.length)
      throw words.invalid('photo_cover_index is out of range');
    if (!isDraft) checkDirect(call, info);
    const about = aboutOf('photo', info, info.title, info.description);
    const begun = { page_id: caller.person, product: 'developers', isDraft, about } as const;
    return { publish_id: (await publications.pull(begun, source.photo_images)).id };
  }

  return { initVideo, initPhoto };
}

export function publishRoutes(parts: Parts) {
  const { world, names, publications } = parts;
  const { docs, options, settings, files } = world;
  const { clock, store } = options;
  const rate = (name: string, setting: RateSetting) => perMinute(name, () => settings.get(setting), { sliding: true });
  const { initVideo, initPhoto } = makeInits(parts);

  return [
    on(
      'POST',
      '/v2/post/publish/creator_info/query/',
      'video.publish',
      rate('creator', 'creator_infos_per_minute'),
      ({ caller }) => {
        const { id, handle, name, forbids: own = [], longest_s } = names.creator(caller.person);
        store.write(() => docs.change('person', id, { asked_at: clock.now() }));
        return {
          creator_avatar_url: names.avatarOf(id),
          creator_username: handle,
          creator_nickname: name,
          privacy_level_options: names.privacyOf(id),
          ...Object.fromEntries(INTERACTIONS.map((what) => [`${what}_disabled`, own.includes(what)])),
          max_video_post_duration_sec: longest_s,
        };
      },
    ),
    on('POST', '/v2/post/publish/video/init/', 'video.publish', rate('init', 'inits_per_minute'), (call) =>
      initVideo(call, false),
    ),
    on('POST', '/v2/post/publish/inbox/video/init/', 'video.upload', rate('inbox', 'inits_per_minute'), (call) =>
      initVideo(call, true),
    ),
    on('POST', '/v2/post/publish/content/init/', '', rate('content', 'inits_per_minute'), initPhoto),
    on('POST', '/v2/post/publish/status/fetch/', '', rate('status', 'states_per_minute'), ({ params, caller }) => {
      const found = docs.get('publication', params.required('publish_id'));
      if (found === undefined || found.product !== 'developers')
        throw new DeveloperError(400, 'invalid_publish_id', 'The publish id does not exist');
      if (found.page_id !== caller.person)
        throw new DeveloperError(
          400,
          'token_not_authorized_for_specified_publish_id',
          'This is the post of another user',
        );
      const { status, ids, reason } = store.write(() => publications.state(found));
      const bytes = found.blobs.reduce((sum, blob) => sum + files.size(blob), 0);
      return {
        status,
        ...(reason !== undefined && { fail_reason: reason }),
        publicaly_available_post_id: settings.get('text_ids') ? ids : ids.map(bareNumber),
        ...(found.upload === undefined ? { downloaded_bytes: bytes } : { uploaded_bytes: found.upload.stored }),
      };
    }),
  ];
}
