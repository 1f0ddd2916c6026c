import { createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { systemClock, type Clock } from '../../kernel/clock.ts';
import { envelope } from '../../kernel/envelope.ts';
import { ApiError } from '../../kernel/errors.ts';
import { randomHex } from '../../kernel/ids.ts';
import { makePace } from './pace.ts';
import { makePipeline, type Owed } from './pipeline.ts';

const HEADERS_MS = 30_000;
/** An OAuth state of 3,000 characters beyond ASCII makes an address of 36 KB. */
const HEADER_BYTES = 65_536;
/** Long enough for the largest upload over a slow line; every other body has less (see `pace.ts`). */
const REQUEST_MS = 900_000;
/** Longer than the proxies in front wait, so that none of them writes into a closing connection. */
const IDLE_MS = 75_000;
/** How long a refused connection may take to go. */
const LINGER_MS = 2_000;
/** More than any honest crowd needs, and less than what exhausts the machine. */
const CONNECTIONS = 8_192;
const TOO_SLOW = 'ERR_HTTP_REQUEST_TIMEOUT';

type Failure = Readonly<{ code?: string }>;
type Unreadable = readonly [line: string, refusal: ApiError];

const NO_HTTP: Unreadable = [
  '400 Bad Request',
  new ApiError('validation.body_invalid', { message: 'The request is not valid HTTP.' }),
];
const UNREADABLE: Readonly<Record<string, Unreadable>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', new ApiError('http.431')],
  [TOO_SLOW]: ['408 Request Timeout', new ApiError('http.408')],
};

/** An HTTP server around the application, with limits on time and an answer for what is no HTTP. */
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
      // The application refuses a request without a Host itself, as it does one with a strange Host.
      requireHostHeader: false,
    },
    pipeline.handle,
  );
  // An expectation that nobody knows is no reason to refuse (RFC 9110 § 10.1.1).
  server.on('checkExpectation', pipeline.handle);
  // Node would end a connection whose client sends no more, with answers on their way; `accept` decides instead.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on('connection', pipeline.accept);
  server.maxConnections = CONNECTIONS;
  server.on('clientError', (error, socket) => refuse(error as Failure, socket as Socket));
  return server;
}

/** What cannot be parsed is answered in the same envelope as everything else, and the connection ends. */
function refuseConnection({ code = '' }: Failure, socket: Socket, { current, last }: Owed): void {
  const owed = last?.req.complete ? last : current;
  // What is wrong stands behind a whole request: its answer is owed, and the last one.
  if (owed?.req.complete && !owed.headersSent && code.startsWith('HPE_')) {
    owed.setHeader('Connection', 'close');
    return;
  }
  // In the middle of an answer there is nothing sensible left to say.
  if (!socket.writable || current?.headersSent || code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const [line, refusal] = UNREADABLE[code] ?? NO_HTTP;
  const requestId = randomHex(8);
  const body = JSON.stringify(envelope(refusal, requestId));
  // What is still on its way is read and dropped: a reset would take the answer with it.
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.end(
    `HTTP/1.1 ${line}\r\nX-Request-ID: ${requestId}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    () => socket.destroy(),
  );
}
