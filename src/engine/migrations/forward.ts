import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { countForwarded, migrationOfKey } from '#db/providers/migrations.ts';
import { ApiError, fail } from '#kernel/errors.ts';
import { makeBackoff } from '#kernel/limits/backoff.ts';
import { boundedMap } from '#kernel/limits/bounded-map.ts';
import { makeConcurrency } from '#kernel/limits/concurrency.ts';
import { networkOf } from '#kernel/net/addresses.ts';
import type { AnswerHead } from '#kernel/net/outbound.ts';
import { OutboundError } from '#kernel/net/request.ts';
import type { MigrationsDeps } from './deps.ts';
import { makeHashes } from './keys.ts';
import { answerHeaders, requestHeaders, type Headers } from './headers.ts';
import type { Provider } from './provider.ts';

/** From the first byte of the request to the last byte of the response. */
const DEADLINE_MS = 5 * 60_000;
/** The largest request and response. */
const MOST_BYTES = 104_857_600;
/** Concurrent requests, for each key and in total. */
const MOST_OF_KEY = 50;
const MOST = 200;
/** Throttles networks that send keys without a migration; clients of a stopped migration do that too. */
const UNKNOWN_SENDERS = Object.freeze({ free: 100, longest: 30_000 });
const REMEMBERED = 1000;
const LONGEST_KEY = 1024;

export type ForwardedRequest = Readonly<{
  provider: string;
  method: string;
  /** Path and query after the base URL, as received. */
  target: string;
  headers: Headers;
  /** Undefined if the request has no body. */
  body: AsyncIterable<Uint8Array> | undefined;
  ip: string;
  signal: AbortSignal;
}>;

export type ForwardedAnswer = AnswerHead & Readonly<{ body: Readable }>;

type ForwardDeps = Pick<
  MigrationsDeps,
  'store' | 'clock' | 'sealer' | 'outbound' | 'providers' | 'baseOf' | 'mostBytes'
>;

/** Forwards requests with the key of a started migration to the provider. */
export function makeForward(deps: ForwardDeps) {
  const { store, clock, providers, baseOf } = deps;
  const hashesOf = makeHashes(deps.sealer);
  const concurrency = makeConcurrency();
  const unknownSenders = makeBackoff(clock, UNKNOWN_SENDERS);
  /** Keys of recent migrations; they still work if their network is throttled for sending unknown keys. */
  const known = boundedMap<string, true>(REMEMBERED);

  async function find(provider: Provider, key: string, ip: string) {
    const network = networkOf(ip);
    const hashes = hashesOf(provider.name, key);
    const pause = hashes.some((hash) => known.get(hash)) ? 0 : unknownSenders.pauseOf(network);
    if (pause > 0) fail('http.429', { retryAfter: pause / 1000 });
    const found = await migrationOfKey(store.db, provider.name, hashes);
    if (found === undefined) {
      for (const hash of hashes) known.delete(hash);
      unknownSenders.begin(network);
      noMigration(provider);
    }
    known.set(found.key_hash, true);
    return found;
  }

  return async function forward(request: ForwardedRequest): Promise<ForwardedAnswer> {
    const provider = providers.get(request.provider) ?? fail('http.404');
    const key = provider.keyOf(request.headers);
    if (key === undefined || key.length > LONGEST_KEY) noMigration(provider);
    const { network, key_hash: hash } = await find(provider, key, request.ip);
    const url = urlBelow(baseOf(provider, network) ?? unreachable(provider), request.target);
    const slot = concurrency.enter([
      { key: hash, max: MOST_OF_KEY },
      { key: '', max: MOST },
    ]);
    if ('reached' in slot)
      fail('http.429', { message: 'Too many requests are being passed on at the same time.', retryAfter: 1 });
    try {
      // The migration may have been stopped since.
      if (!(await store.write(({ db }) => countForwarded(db, provider.name, hash)))) noMigration(provider);
    } catch (error) {
      slot.leave();
      throw error;
    }
    return passOn(deps, provider, { ...request, url, key }, slot.leave);
  };
}

/** Starts a request; resolves with the head of the response while its body is still streaming. */
async function passOn(
  { outbound, mostBytes = MOST_BYTES }: Pick<ForwardDeps, 'outbound' | 'mostBytes'>,
  provider: Provider,
  { url, key, method, headers, body, signal }: ForwardedRequest & Readonly<{ url: URL; key: string }>,
  leave: () => void,
): Promise<ForwardedAnswer> {
  const { promise: begun, resolve: begin, reject } = Promise.withResolvers<AnswerHead>();
  const answer = new PassThrough();
  answer.on('error', () => {});
  let refused: ApiError | undefined;
  const limited =
    body &&
    Readable.from(
      upTo(body, mostBytes, (error) => (refused = error)),
      { objectMode: false },
    );
  outbound
    .send({
      method,
      url,
      headers: { ...requestHeaders(headers), ...provider.authorize(key) },
      ...(limited && { body: limited }),
      purpose: 'migration',
      given: false,
      deadlineMs: DEADLINE_MS,
      maxBytes: mostBytes,
      overflow: 'refuse',
      anyStatus: true,
      pathTemplate: '(forwarded)',
      signal,
      head: begin,
      async sink(chunk) {
        if (!answer.write(chunk)) await once(answer, 'drain', { signal });
      },
    })
    .then(
      () => answer.end(),
      (error: unknown) => {
        answer.destroy(error as Error);
        reject(error instanceof OutboundError ? (refused ?? unanswered(provider, error)) : error);
      },
    )
    .finally(leave);
  const head = await begun;
  return { status: head.status, headers: answerHeaders(head.headers), body: answer };
}

/** Yields the body of a request; stops and reports why if it is too large or ends early. */
async function* upTo(
  body: AsyncIterable<Uint8Array>,
  mostBytes: number,
  refuse: (error: ApiError) => void,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  try {
    for await (const piece of body) {
      size += piece.length;
      if (size > mostBytes) fail('http.413');
      yield piece;
    }
  } catch (error) {
    if (error instanceof ApiError) refuse(error);
    throw error;
  }
}

/** The URL of a target below the base URL; refuses targets that lead outside. */
function urlBelow(base: string, target: string): URL {
  const url = URL.parse(base + target);
  if (url === null || !`${url.pathname}/`.startsWith(`${new URL(base).pathname.replace(/\/$/, '')}/`)) fail('http.404');
  return url;
}

function noMigration({ title }: Provider): never {
  return fail('resource.not_found', {
    message: 'No started migration has this key.',
    next: `Send the API key of ${title} that the migration was started with, the way you send it to ${title}.`,
    meta: { resource: 'migration' },
  });
}

function unreachable({ title }: Provider): never {
  return fail('http.503', { message: `${title} cannot be reached.` });
}

function unanswered({ title }: Provider, cause: OutboundError): ApiError {
  const message = cause.sent ? `${title} may have got the request: ${cause.because}.` : `${title}: ${cause.because}.`;
  return new ApiError('http.503', { message, cause });
}
