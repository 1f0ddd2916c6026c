import * as z from 'zod';
import type { OpenedMedia } from '../../media.ts';
import type { PublishCall } from '../../posts.ts';
import { unclear } from '../../shared/errors.ts';
import { pending } from '../../shared/pending.ts';
import { send, UPLOAD_DEADLINE_MS } from '../../shared/rest.ts';
import { assertTaken, inParts } from '../../shared/upload.ts';
import { rules } from './rules.ts';

/** Chunks may have 5 to 64 MB. The last one also takes the remainder, so it can be almost twice this size. */
const CHUNK_BYTES = 8 * 1024 * 1024;

/** The chunks of a video; their number is rounded down, so the last chunk is longer. */
export function chunksOf(size: number) {
  const chunk_size = size < 2 * CHUNK_BYTES ? size : CHUNK_BYTES;
  return { video_size: size, chunk_size, total_chunk_count: Math.floor(size / chunk_size) };
}

const endOf = (at: number, size: number): number => (size - at < 2 * CHUNK_BYTES ? size : at + CHUNK_BYTES);

/** Where the next chunk begins; an interrupted chunk is sent again from its start. */
function nextOf(received: number, size: number): number {
  const { chunk_size, total_chunk_count } = chunksOf(size);
  return Math.min(Math.floor(received / chunk_size), total_chunk_count - 1) * chunk_size;
}

/** An upload that has begun, from which at most one post can result. */
export const Begun = z.object({ publish_id: z.string().min(1), upload_url: z.string().min(1) });

/** The progress of an upload; `isWhole`: the last chunk has been sent. */
const Upload = Begun.extend({ at: z.number(), to: z.number().optional(), isWhole: z.boolean().optional() });
type Upload = z.output<typeof Upload>;

type Ways = Readonly<{
  begin(): Promise<z.output<typeof Begun>>;
  /** The bytes that TikTok has received, if it reports them; undefined once it has the whole video. */
  received(publishId: string): Promise<Readonly<{ bytes: number | undefined }> | undefined>;
}>;

/** Opens the video of a post and checks its type and size. */
export async function openVideo(call: PublishCall): Promise<OpenedMedia> {
  const media = await call.open(call.post.media[0]!.ref);
  assertTaken('TikTok', 'video', media, rules.media);
  return media;
}

/** Sends a video in chunks; a retry resumes where TikTok says that the upload stopped. */
export async function uploadVideo(call: PublishCall, begun: z.output<typeof Begun>, ways: Ways) {
  const media = await openVideo(call);
  const { data: kept } = Upload.safeParse(call.kept);
  let upload: Upload = kept ?? { ...begun, at: 0 };
  if (kept === undefined) await call.keep(upload);
  else {
    const { bytes = kept.at } = (await ways.received(kept.publish_id)) ?? { bytes: media.size };
    if (bytes >= media.size) return { publish_id: kept.publish_id };
    upload = { ...kept, at: nextOf(bytes, media.size) };
  }
  const from = { ...upload, to: endOf(upload.at, media.size) };
  const put = (part: Uint8Array, at: Upload) => putChunk(call, media, part, at, ways);
  const { publish_id } = await inParts<Upload>(call, media, { size: 2 * CHUNK_BYTES, from, put });
  return { publish_id };
}

/** Statuses that mean the upload URL has expired, which it does after an hour. */
const GONE: ReadonlySet<number> = new Set([403, 404, 410]);

async function putChunk(
  call: PublishCall,
  media: OpenedMedia,
  part: Uint8Array,
  from: Upload,
  { begin }: Ways,
): Promise<Upload> {
  const end = from.at + part.byteLength;
  const isWhole = end === media.size;
  // Stored before the last chunk is sent, because a post may exist from here on.
  if (isWhole) await call.keep({ ...from, isWhole });
  const { status } = await send(call, {
    method: 'PUT',
    url: from.upload_url,
    headers: { 'content-type': media.content_type, 'content-range': `bytes ${from.at}-${end - 1}/${media.size}` },
    body: part,
    template: '/upload/{session}',
    deadlineMs: UPLOAD_DEADLINE_MS,
  });
  if (status === 201 || (status === 206 && !isWhole)) return { ...from, at: end, to: endOf(end, media.size), isWhole };
  if (GONE.has(status) && from.isWhole !== true) {
    await call.keep({ ...(await begin()), at: 0 });
    throw pending('TikTok has ended the upload, which starts again.', 1);
  }
  if (GONE.has(status)) throw pending('TikTok has ended the upload; it does not say yet whether it has the video.', 60);
  throw unclear(undefined, { status, upstream: `HTTP ${status}` });
}
