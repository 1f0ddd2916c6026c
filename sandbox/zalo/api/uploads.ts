/** Uploads for messages, which are kept for a week. */
import type { Blob } from '../../kit/files.ts';
import type { Upload } from '../docs.ts';
import { invalid, outOfQuota, overLimit, unsupported } from '../errors.ts';
import { newId, type World } from '../world.ts';
import { makeCalls, type Call, type Parts, type ZaloRoute } from './calls.ts';

const MB = 1024 * 1024;
const MONTH_MS = 30 * 86_400_000;
const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

/** The size limits, types and file extensions of each kind. */
const UPLOAD_LIMITS = Object.freeze({
  image: { bytes: MB, mimes: ['image/jpeg', 'image/png'], names: undefined },
  gif: { bytes: 5 * MB, mimes: ['image/gif'], names: undefined },
  // The type of a text cannot be read from its bytes.
  file: {
    bytes: 5 * MB,
    mimes: ['application/pdf', 'application/x-cfb', DOCX, 'application/octet-stream'],
    names: /\.(?:pdf|docx?|csv)$/i,
  },
  video: {
    bytes: 50 * MB,
    mimes: ['video/mp4', 'video/vnd.avi', 'video/x-msvideo', 'video/x-m4v', 'video/quicktime'],
    names: undefined,
  },
});

const wrongType = () => unsupported('the file is of no supported type');

export async function fileIn({ params }: Call, { files }: World, kind: keyof typeof UPLOAD_LIMITS): Promise<Blob> {
  const file = params.files.get('file');
  const { bytes, mimes, names } = UPLOAD_LIMITS[kind];
  if (file === undefined || file.bytes.length === 0) throw invalid('file is missing');
  if (file.bytes.length > bytes) throw overLimit(`the file is larger than ${bytes / MB} MB`);
  const blob = await files.keep(file.bytes, file.name);
  if (!mimes.includes(blob.mime) || names?.test(file.name) === false) throw wrongType();
  return blob;
}

/** A picture that Zalo downloads itself. */
export async function pictureAt({ fetching }: World, url: string, kind: 'image' | 'gif'): Promise<Blob> {
  const { bytes, mimes } = UPLOAD_LIMITS[kind];
  const blob = await fetching.media(url, bytes);
  if (blob === undefined) throw invalid('the picture cannot be fetched');
  if (!mimes.includes(blob.mime)) throw wrongType();
  return blob;
}

export function uploadRoutes({ world }: Pick<Parts, 'world'>): readonly ZaloRoute[] {
  const { docs, settings, options } = world;
  const { clock, store } = options;
  const call = makeCalls(world);

  async function keep(one: Call, kind: Upload['kind']): Promise<Upload> {
    const { caller } = one;
    const recent = docs.list('upload', { page: caller.person }).filter(({ at }) => at > clock.now() - MONTH_MS);
    if (recent.length >= settings.get('uploads_per_month')) throw outOfQuota('uploads');
    const blob = await fileIn(one, world, kind);
    const upload = { id: newId(), at: clock.now(), page_id: caller.person, kind, blob: blob.id };
    return store.write(() => docs.put('upload', upload));
  }

  return [
    ...(['image', 'gif'] as const).map((kind) =>
      call('POST', `/v2.0/oa/upload/${kind}`, async (one) => ({ attachment_id: (await keep(one, kind)).id })),
    ),
    call('POST', '/v2.0/oa/upload/file', async (one) => ({ token: (await keep(one, 'file')).id })),
  ];
}
