import { fail } from '#kernel/errors.ts';
import { scrub } from '#kernel/log.ts';
import { OutboundError, type Outbound, type OutboundAnswer } from '#kernel/net/request.ts';
import { PlatformError } from '#platforms/errors.ts';
import { isUrl } from '#platforms/media.ts';
import { inspect, type ContentFields } from './content/content.ts';
import { BY_UPLOAD_PAGE } from './item.ts';
import { tooLarge, type Bytes, type Write } from './storage/files.ts';

/** The most base64 bytes, since they are part of a JSON body. */
const MOST_BASE64 = 2_097_152;

/** How long a download may take, during a request and while publishing. */
const REQUEST_DEADLINE_MS = 60_000;
export const PUBLISH_DEADLINE_MS = 10 * 60_000;
const MEDIA = 'image/*, video/*, audio/*, application/pdf;q=0.9, */*;q=0.1';

/** Decodes base64, optionally in a data: URL. */
export function decodeBase64(text: string): Buffer {
  const bare = text.replace(/^data:[^,]{0,255},/, '').replace(/\s+/g, '');
  if (!/^[\w+/-]+={0,2}$/.test(bare)) {
    fail('validation.field_invalid', { message: 'base64: this is not base64.', meta: { field: 'base64' } });
  }
  const bytes = Buffer.from(bare, 'base64');
  if (bytes.byteLength > MOST_BASE64) {
    fail('validation.field_invalid', {
      message: 'base64: at most 2 MiB can be sent this way.',
      next: BY_UPLOAD_PAGE,
      meta: { field: 'base64', max_bytes: MOST_BASE64 },
    });
  }
  return bytes;
}

type DownloadRequest = Readonly<{
  url: string;
  field: string;
  maxBytes: number;
  accept?: string;
  deadlineMs?: number;
  /** False if a platform gave the URL, which may then belong to the sandbox. */
  given?: boolean;
}>;

/** Downloads a URL into `write`. Failures are 400 and name `field`; their cause tells whether a retry may help. */
export async function download(
  outbound: Pick<Outbound, 'send'>,
  { url, field, maxBytes, accept = MEDIA, deadlineMs = REQUEST_DEADLINE_MS, given = true }: DownloadRequest,
  write: Write,
): Promise<void> {
  const unusable = (because: string, cause?: unknown): never =>
    fail('validation.field_invalid', { message: `${field}: ${displayUrl(url)} ${because}.`, meta: { field }, cause });
  const answer = await outbound
    .send({
      method: 'GET',
      url,
      purpose: 'media',
      given,
      deadlineMs,
      maxBytes,
      overflow: 'refuse',
      redirects: 3,
      pathTemplate: '(media url)',
      headers: { accept, 'accept-encoding': 'identity' },
      sink: write,
    })
    .catch((error: unknown) => {
      // `aborted` means that our own side failed, such as the disk.
      if (!(error instanceof OutboundError) || error.kind === 'aborted') throw error;
      if (error.kind === 'too_large') tooLarge(maxBytes);
      return unusable(`cannot be fetched: ${error.message}`, error);
    });
  if (answer.status >= 200 && answer.status <= 299) return;
  unusable(`answers with status ${answer.status}`, passing(answer));
}

/** Refuses local paths and URLs of a device. */
export function refuseLocal(source: string, field: string): void {
  if (isUrl(source)) return;
  fail('validation.field_invalid', {
    message: `${field}: only an http or https address can be fetched; files on your device cannot be read from here.`,
    next: BY_UPLOAD_PAGE,
    meta: { field },
  });
}

const MAX_SHOWN_LENGTH = 200;

/** A URL that can be recognised, but without its query and other parts that may be secret. */
function displayUrl(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null) return 'this address';
  const { origin, pathname, search } = parsed;
  return scrub(`${origin}${pathname}`).slice(0, MAX_SHOWN_LENGTH) + (search === '' ? '' : '?…');
}

/** Inspects a file that was fetched for a post; refuses anything but media. */
export async function readFetched(bytes: Bytes, url: string): Promise<ContentFields> {
  const seen = await inspect(bytes);
  if ('fields' in seen) return seen.fields;
  const message = `media: ${displayUrl(url)} gives no usable file. ${seen.refused}`;
  return fail('validation.field_invalid', { message, meta: { field: 'media' } });
}

/** The error for a temporary failure of a host; undefined if its response is final. */
function passing({ status, headers }: Pick<OutboundAnswer, 'status' | 'headers'>): PlatformError | undefined {
  if (status < 500 && status !== 408 && status !== 429) return undefined;
  const seconds = Number(headers['retry-after'] ?? Number.NaN);
  const retryAfter = Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined;
  const outcome = status === 429 || retryAfter !== undefined ? 'throttled' : 'unknown';
  const message = `The host of the media answers with status ${status}.`;
  return new PlatformError(outcome, 'api_error', message, { status, retryAfter });
}
