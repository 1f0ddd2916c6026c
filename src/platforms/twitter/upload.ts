import * as z from 'zod';
import type { AccountCall, Keeping } from '../call.ts';
import type { OpenedMedia } from '../media.ts';
import type { PostRules } from '../posts.ts';
import { failedLater, isRefused } from '../shared/errors.ts';
import { anything, dataOf, text } from '../shared/fields.ts';
import { pending } from '../shared/pending.ts';
import { assertFile, assertTaken, inParts } from '../shared/upload.ts';
import { path } from '../shared/rest.ts';
import { request, Id } from './api.ts';

const MIB = 1024 * 1024;
/** The size of a part; X documents larger ones, but its gateway refuses them. */
const PART_BYTES = MIB;
export const GIF_BYTES = 15 * MIB;
const IMAGE_BYTES = 5 * MIB;

export const files: PostRules['media'] = {
  max_image_size_bytes: IMAGE_BYTES,
  max_video_size_bytes: 512 * MIB,
  max_video_duration_sec: 140,
  min_video_duration_sec: 0.5,
  supported_image_types: ['image/jpeg', 'image/png', 'image/webp', 'image/gif'],
  supported_video_types: ['video/mp4'],
  sources: ['media_id', 'url'],
};

const Processing = z.object({
  state: z.string(),
  check_after_secs: z.number().optional(),
  error: z.object({ message: text, name: text }).optional().catch(undefined),
});
const Media = dataOf(z.object({ id: Id, processing_info: Processing.optional() }));
type Media = z.output<typeof Media>;

const Upload = z.object({
  id: Id,
  at: z.number(),
  isWhole: z.boolean(),
  /** The size of the parts; a state with another size cannot be resumed, as parts are numbered. */
  part: z.literal(PART_BYTES),
});
type Upload = z.output<typeof Upload>;

type UploadCall = AccountCall & Keeping & Readonly<{ open(ref: string): Promise<OpenedMedia> }>;
type UploadRequest = Readonly<{
  ref: string;
  kind: 'image' | 'video';
  use: 'tweet' | 'dm';
  alt?: string | null | undefined;
}>;

/** Uploads a file and waits for its processing; a retry resumes, or restarts if X dropped the upload. */
export async function upload(call: UploadCall, options: UploadRequest): Promise<string> {
  const kept = Upload.safeParse(call.kept).data;
  const { alt } = options;
  const uploaded = await uploadFrom(call, options, kept).catch((error: unknown) => {
    if (kept === undefined || !isRefused(error, 'not_found', 'invalid_request')) throw error;
    return uploadFrom(call, options, undefined);
  });
  const id = ready(uploaded);
  const json = { id, metadata: { alt_text: { text: alt } } };
  // Alt texts are set last, because X accepts them only for a complete file.
  if (alt) await request(call, { method: 'POST', path: '/2/media/metadata', json }, anything);
  return id;
}

async function uploadFrom(
  call: UploadCall,
  { ref, kind, use }: UploadRequest,
  kept: Upload | undefined,
): Promise<Media> {
  if (kept?.isWhole === true) {
    const query = { command: 'STATUS', media_id: kept.id };
    return request(call, { method: 'GET', path: '/2/media/upload', query }, Media);
  }
  const media = await call.open(ref);
  const { content_type: media_type, size: total_bytes } = media;
  const isGif = media_type === 'image/gif';
  if (isGif) assertFile('X', 'GIFs', media, { types: [media_type], max: GIF_BYTES });
  else assertTaken('X', kind, media, files);
  const json = { media_type, total_bytes, media_category: `${use}_${isGif ? 'gif' : kind}` };
  const begin = { method: 'POST', path: '/2/media/upload/initialize', json } as const;
  const { id } = kept ?? (await request(call, begin, Media));
  await inParts<Upload>(call, media, {
    size: PART_BYTES,
    from: { id, at: kept?.at ?? 0, isWhole: false, part: PART_BYTES },
    async put(bytes, state) {
      const form = { segment_index: state.at / PART_BYTES };
      const file = { name: 'media', filename: 'part', type: 'application/octet-stream', bytes };
      await request(call, { method: 'POST', ...path`/2/media/upload/${{ id }}/append`, form, file }, anything);
      return { ...state, at: state.at + bytes.byteLength };
    },
  });
  // X requires a JSON object as body, even if it is empty.
  const finish = { method: 'POST', ...path`/2/media/upload/${{ id }}/finalize`, json: {} } as const;
  const done = await request(call, finish, Media);
  await call.keep({ id, at: media.size, isWhole: true, part: PART_BYTES });
  return { ...done, id };
}

function ready({ id, processing_info: info }: Media): string {
  if (info === undefined || info.state === 'succeeded') return id;
  if (info.state === 'failed') {
    const { name = '', message: text = '' } = info.error ?? {};
    throw failedLater('invalid_request', 'X cannot use this file; try another one.', { name, text });
  }
  throw pending('X is still working on the media.', info.check_after_secs);
}
