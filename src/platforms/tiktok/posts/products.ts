import * as z from 'zod';
import type { AccountCall } from '../../call.ts';
import type { OutgoingPost, PublishCall } from '../../posts.ts';
import { refused } from '../../shared/errors.ts';
import { LongId, text, word } from '../../shared/fields.ts';
import { asCreator, readBusiness, sendBusiness } from '../api.ts';
import type { Creator } from './creator.ts';
import { isVideo, levelOf, optionsOf } from './rules.ts';
import { Begun, chunksOf } from './upload.ts';

/** How long a media URL works; TikTok fetches media within an hour. */
const FETCH_MINUTES = 90;

/** The state of a post; its id arrives late, and never for a private post. */
export const Status = z
  .object({
    status: word,
    fail_reason: text,
    reason: text,
    uploaded_bytes: z.coerce.number().int().nonnegative().optional().catch(undefined),
    publicaly_available_post_id: z.array(LongId).catch([]),
    post_ids: z.array(LongId).catch([]),
  })
  .transform(({ fail_reason, reason, publicaly_available_post_id: late, post_ids, ...rest }) => ({
    ...rest,
    why: fail_reason ?? reason ?? '',
    id: [...late, ...post_ids][0],
  }));

export const developerStatus = (call: AccountCall, publish_id: string) =>
  asCreator(call, '/v2/post/publish/status/fetch/', Status, { json: { publish_id } });

export const businessStatus = (call: AccountCall, publish_id: string) =>
  readBusiness(call, '/business/publish/status/', Status, { publish_id });

/** The switches of a post; features that the creator disabled stay off even if the post enables them. */
function switchesOf(post: OutgoingPost, creator: Creator) {
  const { disable_comment = false, disable_duet = false, disable_stitch = false } = optionsOf(post);
  const comment = { disable_comment: disable_comment || creator.comment_disabled };
  if (!isVideo(post)) return comment;
  return {
    ...comment,
    disable_duet: disable_duet || creator.duet_disabled,
    disable_stitch: disable_stitch || creator.stitch_disabled,
  };
}

/** Throws if the creator may not publish the post, before it is sent to TikTok. */
export function assertAllowed(post: OutgoingPost, creator: Creator, durationMs: number | undefined): void {
  const { privacy_level_options: levels, max_video_post_duration_sec: longest } = creator;
  const level = levelOf(post);
  if (optionsOf(post).draft !== true && levels.length > 0 && !levels.includes(level)) {
    throw refused('invalid_request', `The creator cannot publish for ${level}; possible: ${levels.join(', ')}.`);
  }
  if (isVideo(post) && longest > 0 && durationMs !== undefined && durationMs > longest * 1000)
    throw refused('invalid_request', `The creator may publish videos of at most ${longest} seconds.`);
}

const words = (text: string): string => text.toWellFormed();

/** The title of a photo post, if it has one; a video's title is its text. */
const titled = ({ title }: OutgoingPost) => (title?.trim() ? { title: words(title.trim()) } : {});

const fetched = ({ post, link }: PublishCall): Promise<readonly string[]> =>
  Promise.all(
    post.media.map(async ({ ref }) => new URL(await link(ref, { minutes: FETCH_MINUTES, rehost: true })).href),
  );

/** Begins the upload of a video; nothing is public before the upload is complete. */
export async function beginVideo(call: PublishCall, creator: Creator, size: number) {
  const { post } = call;
  const { draft, video_cover_timestamp_ms, brand_content_toggle, brand_organic_toggle, is_aigc } = optionsOf(post);
  const source_info = { source: 'FILE_UPLOAD', ...chunksOf(size) };
  if (draft) return asCreator(call, '/v2/post/publish/inbox/video/init/', Begun, { json: { source_info } });
  const post_info = {
    title: words(post.text),
    privacy_level: levelOf(post),
    ...switchesOf(post, creator),
    video_cover_timestamp_ms,
    brand_content_toggle,
    brand_organic_toggle,
    is_aigc,
  };
  return asCreator(call, '/v2/post/publish/video/init/', Begun, { json: { post_info, source_info } });
}

/** Publishes photos, which TikTok fetches; returns the id of the publishing process. */
export async function publishPhotos(call: PublishCall, creator: Creator): Promise<string> {
  const { post } = call;
  const { draft, photo_cover_index = 0, auto_add_music, brand_content_toggle, brand_organic_toggle } = optionsOf(post);
  const about = { ...titled(post), description: words(post.text) };
  const settings = { privacy_level: levelOf(post), ...switchesOf(post, creator), auto_add_music };
  const json = {
    media_type: 'PHOTO',
    post_mode: draft ? 'MEDIA_UPLOAD' : 'DIRECT_POST',
    post_info: draft ? about : { ...about, ...settings, brand_content_toggle, brand_organic_toggle },
    source_info: { source: 'PULL_FROM_URL', photo_images: await fetched(call), photo_cover_index },
  };
  const made = z.object({ publish_id: z.string().min(1) });
  return (await asCreator(call, '/v2/post/publish/content/init/', made, { json })).publish_id;
}

/** Publishes by the API for Business, which fetches videos and photos; returns the id of the publishing process. */
export async function publishBusiness(call: PublishCall, creator: Creator): Promise<string> {
  const { post } = call;
  const options = optionsOf(post);
  const common = {
    caption: words(post.text),
    ...switchesOf(post, creator),
    is_brand_organic: options.brand_organic_toggle,
    is_branded_content: options.brand_content_toggle,
  };
  const urls = await fetched(call);
  const made = z.object({ share_id: LongId });
  if (isVideo(post)) {
    const { is_aigc: is_ai_generated, draft: upload_to_draft, video_cover_timestamp_ms: thumbnail_offset } = options;
    const post_info = { ...common, is_ai_generated, upload_to_draft, thumbnail_offset };
    return (await sendBusiness(call, '/business/video/publish/', made, { video_url: urls[0], post_info })).share_id;
  }
  const { photo_cover_index = 0, auto_add_music, draft: is_draft } = options;
  const post_info = { ...titled(post), ...common, privacy_level: levelOf(post), auto_add_music, is_draft };
  const send = { photo_images: urls, photo_cover_index, post_info };
  return (await sendBusiness(call, '/business/photo/publish/', made, send)).share_id;
}
