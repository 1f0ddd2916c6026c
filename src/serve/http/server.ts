import { createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { systemClock, type Clock } from '#kernel/clock.ts';
import { envelope } from '#kernel/envelope.ts';
import { ApiError } from '#kernel/errors.ts';
import { randomHex } from '#kernel/ids.ts';
import { tableOf } from '#kernel/text/table.ts';
import { makePace } from './pace.ts';
import { makePipeline, type PendingResponses } from './pipeline.ts';

const HEADERS_MS = 30_000;
/** An OAuth state of 3,000 non-ASCII characters results in a URL of 36 KB. */
const HEADER_BYTES = 65_536;
/** Enough for the largest upload on a slow connection; `pace.ts` gives other bodies less time. */
const REQUEST_MS = 900_000;
/** Longer than proxies keep idle connections, so that none sends a request on one that is being closed. */
const IDLE_MS = 75_000;
/** How long a refused connection may take to close. */
const LINGER_MS = 2_000;
/** Above normal load, but within the memory and file descriptors of a small machine. */
const CONNECTIONS = 8_192;
const TOO_SLOW = 'ERR_HTTP_REQUEST_TIMEOUT';

type Failure = Readonly<{ code?: string }>;
type Unreadable = readonly [line: string, refusal: ApiError];

const NO_HTTP: Unreadable = [
  '400 Bad Request',
  new ApiError('validation.body_invalid', { message: 'The request is not valid HTTP.' }),
];
const UNREADABLE: ReadonlyMap<string, Unreadable> = tableOf({
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', new ApiError('http.431')],
  [TOO_SLOW]: ['408 Request Timeout', new ApiError('http.408')],
});

/** The HTTP server around the application, with time limits and responses to malformed requests. */
export function makeServer(listener: RequestListener, clock: Clock = systemClock): Server {
  const refuse = (failure: Failure, socket: Socket) => refuseConnection(failure, socket, pipeline.abandon(socket));
  const watch = makePace(clock, (socket) => refuse({ code: TOO_SLOW }, socket));
  const pipeline = makePipeline((req, res) => {
    watch(req, res);
    listener(req, res);
  }, clock);
  const server = createServer(
    {
      maxHeaderSize: HEADER_BYTES,
      headersTimeout: HEADERS_MS,
      requestTimeout: REQUEST_MS,
      keepAliveTimeout: IDLE_MS,
      // The application itself refuses a missing or unknown Host.
      requireHostHeader: false,
    },
    pipeline.handle,
  );
  // An unknown Expect header is ignored (RFC 9110 § 10.1.1).
  server.on('checkExpectation', pipeline.handle);
  // Node would end a half-closed connection before its responses are sent, so `accept` decides instead.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on('connection', pipeline.accept);
  server.maxConnections = CONNECTIONS;
  server.on('clientError', (error, socket) => refuse(error as Failure, socket as Socket));
  return server;
}

/** Responds to a malformed request with the error envelope and closes the connection. */
function refuseConnection({ code = '' }: Failure, socket: Socket, { current, last }: PendingResponses): void {
  const pending = last?.req.complete ? last : current;
  // The error came after a complete request, which still gets its response as the last one.
  if (pending?.req.complete && !pending.headersSent && code.startsWith('HPE_')) {
    pending.setHeader('Connection', 'close');
    return;
  }
  // A response is half sent; an error would become part of it.
  if (!socket.writable || current?.headersSent || code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const [line, refusal] = UNREADABLE.get(code) ?? NO_HTTP;
  const requestId = randomHex(8);
  const body = JSON.stringify(envelope(refusal, requestId));
  // Discards what the client still sends; closing at once would reset the connection and lose the response.
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.end(
    `HTTP/1.1 ${line}\r\nX-Request-ID: ${requestId}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    () => socket.destroy(),
  );
}
