import type { Readable } from 'node:stream';
import { AwsV4Signer } from 'aws4fetch';
import { sleep, type Clock } from '#kernel/clock.ts';
import type { Config } from '#kernel/config/config.ts';
import { ApiError } from '#kernel/errors.ts';
import { OutboundError, type Outbound, type OutboundAnswer } from '#kernel/net/request.ts';
import { sha256 } from '#kernel/sign.ts';
import { errorCode, readListing, type Listed } from './listing.ts';

/** An object to upload; its body is opened again for each attempt. */
type Sent = Readonly<{ size: number; sha256: string; body(): Readable | Uint8Array }>;

/** An S3-compatible bucket; failures throw a StorageError. */
export type Bucket = Readonly<{
  put(key: string, object: Sent): Promise<void>;
  /** Reads up to `length` bytes from an offset; also returns the object's size. Undefined if it does not exist. */
  get(key: string, from: number, length: number): Promise<Readonly<{ bytes: Uint8Array; size: number }> | undefined>;
  size(key: string): Promise<number | undefined>;
  remove(key: string): Promise<void>;
  /** All objects with a prefix, page by page. */
  list(prefix: string): AsyncGenerator<readonly Listed[]>;
}>;

/** The storage returned no usable response: callers get 503, the log gets the cause. */
export class StorageError extends ApiError {
  /** A retry would be refused too. */
  readonly refused: boolean;
  readonly because: string;

  constructor(host: string, because: string, details: { refused?: boolean; cause?: unknown } = {}) {
    // `sent: false` tells publishing that nothing was published, so it may retry.
    const cause = new OutboundError('connect', host, { sent: false, because, cause: details.cause });
    super('http.503', { message: 'The media storage does not answer; try again in a moment.', retryAfter: 5, cause });
    this.refused = details.refused ?? false;
    this.because = because;
  }
}

type BucketDeps = Readonly<{
  settings: NonNullable<Config['mediaBucket']>;
  outbound: Pick<Outbound, 'send'>;
  clock: Clock;
  /** Applies to everything except uploads, which may take ten times as long. */
  deadlineMs?: number | undefined;
}>;

type BucketRequest = Readonly<{
  method: 'GET' | 'HEAD' | 'PUT' | 'DELETE';
  key?: string;
  query?: Readonly<Record<string, string>>;
  headers?: Readonly<Record<string, string>>;
  object?: Sent;
  maxBytes?: number;
}>;

const DEADLINE_MS = 30_000;
/** Waits between attempts. All requests can be repeated, as objects are never changed, only created and removed. */
const PAUSES_MS = Object.freeze([200, 1_000]);
const NOTHING = sha256('');
const SMALL = 65_536;
const LISTING_BYTES = 8_388_608;
const PER_PAGE = '1000';

/** A client for one bucket that uses our own outbound HTTP client. */
export function makeBucket({ settings, outbound, clock, deadlineMs = DEADLINE_MS }: BucketDeps): Bucket {
  const { url: root, ...credentials } = settings;
  const { host } = new URL(root);
  const keys = new Map<string, ArrayBuffer>();

  async function once({ method, key, query, headers, object, maxBytes = SMALL }: BucketRequest, freshSocket: boolean) {
    const search = query ? `?${new URLSearchParams(query).toString()}` : '';
    const url = (key === undefined ? root : `${root}/${key}`) + search;
    const { headers: signed } = await new AwsV4Signer({
      ...credentials,
      method,
      url,
      headers: { ...headers, 'x-amz-content-sha256': object?.sha256 ?? NOTHING },
      service: 's3',
      datetime: new Date(clock.now()).toISOString().replace(/[:-]|\.\d{3}/g, ''),
      cache: keys,
    }).sign();
    return outbound.send({
      method,
      url,
      headers: { ...Object.fromEntries(signed), ...(object && { 'content-length': String(object.size) }) },
      ...(object && { body: object.body() }),
      purpose: 'storage',
      given: false,
      deadlineMs: object ? deadlineMs * 10 : deadlineMs,
      maxBytes,
      overflow: 'refuse',
      freshSocket,
      pathTemplate: key === undefined ? '(media bucket)' : '(media object)',
    });
  }

  /** The response, or undefined if there is no such object; temporary failures are retried after a pause. */
  async function send(what: BucketRequest): Promise<OutboundAnswer | undefined> {
    for (let tries = 0; ; tries += 1) {
      const outcome = await once(what, tries > 0).then(
        (answer) => judge(host, answer),
        (error: unknown) => failure(host, error),
      );
      if (!(outcome instanceof StorageError)) return outcome;
      const pause = PAUSES_MS[tries];
      if (outcome.refused || pause === undefined) throw outcome;
      await sleep(clock, pause);
    }
  }

  const wrong = (because: string, details?: { refused?: boolean; cause?: unknown }) =>
    new StorageError(host, because, details);

  return Object.freeze({
    async put(key, object) {
      const answer = await send({
        method: 'PUT',
        key,
        object,
        headers: { 'content-type': 'application/octet-stream' },
      });
      if (!answer) throw wrong('it does not know the bucket', { refused: true });
    },

    async get(key, from, length) {
      const range = `bytes=${from}-${from + length - 1}`;
      // Leaves space for the reason of a refusal, even if fewer bytes were requested.
      const answer = await send({ method: 'GET', key, headers: { range }, maxBytes: Math.max(length, SMALL) });
      if (!answer) return undefined;
      const { body: bytes, headers } = answer;
      const total = /^bytes (\d+)-\d+\/(\d+)$/.exec(headers['content-range'] ?? '');
      const size = total ? Number(total[2]) : bytes.byteLength;
      // Without a range header the storage sent the whole object, which is only valid for offset 0.
      const begins = total ? Number(total[1]) : 0;
      if (begins !== from || bytes.byteLength !== Math.min(length, size - from)) throw wrong('it sent other bytes');
      return { bytes, size };
    },

    async size(key) {
      const answer = await send({ method: 'HEAD', key });
      if (!answer) return undefined;
      const length = answer.headers['content-length'] ?? '';
      if (!/^\d+$/.test(length)) throw wrong('it does not say how large an object is');
      return Number(length);
    },

    async remove(key) {
      await send({ method: 'DELETE', key });
    },

    async *list(prefix) {
      let token: string | undefined;
      do {
        const query = { 'list-type': '2', 'max-keys': PER_PAGE, prefix, ...(token && { 'continuation-token': token }) };
        const answer = await send({ method: 'GET', query, maxBytes: LISTING_BYTES });
        const page = answer && readListing(textOf(answer));
        if (!page || (page.next !== undefined && page.next === token)) throw wrong('its list cannot be read');
        yield page.objects;
        token = page.next;
      } while (token !== undefined);
    },
  } satisfies Bucket);
}

/** Distinguishes responses from failures; undefined if there is no such object. */
function judge(host: string, answer: OutboundAnswer): OutboundAnswer | undefined | StorageError {
  const { status } = answer;
  if (status >= 200 && status < 300) return answer;
  const code = errorCode(textOf(answer));
  if (status === 404 && (code === undefined || code === 'NoSuchKey')) return undefined;
  const passing = status >= 500 || status === 429 || code === 'RequestTimeout';
  return new StorageError(host, `it answers with status ${status}${code === undefined ? '' : `, ${code}`}`, {
    refused: !passing,
  });
}

/** Turns a request without a response into a StorageError; rethrows failures of our own side. */
function failure(host: string, error: unknown): StorageError {
  // `aborted` means that our own side failed: the server is stopping, or the disk failed.
  if (!(error instanceof OutboundError) || error.kind === 'aborted') throw error;
  const refused = error.kind === 'bad_url' || error.kind === 'refused_address' || error.kind === 'too_large';
  return new StorageError(host, error.because, { refused, cause: error });
}

function textOf({ body }: OutboundAnswer): string {
  return new TextDecoder().decode(body);
}
