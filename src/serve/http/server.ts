import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { systemClock, type Clock } from '../../kernel/clock.ts';
import { ApiError, envelope } from '../../kernel/errors.ts';
import { randomHex } from '../../kernel/ids.ts';
import { makePace } from './pace.ts';

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
  const watch = makePace(clock, (socket) => refuseConnection({ code: TOO_SLOW }, socket));
  const serve: RequestListener = (req, res) => {
    watch(req, res);
    listener(req, res);
  };
  const server = createServer(
    {
      maxHeaderSize: HEADER_BYTES,
      headersTimeout: HEADERS_MS,
      requestTimeout: REQUEST_MS,
      keepAliveTimeout: IDLE_MS,
      // The application refuses a request without a Host itself, as it does one with a strange Host.
      requireHostHeader: false,
    },
    serve,
  );
  // An expectation that nobody knows is no reason to refuse (RFC 9110 § 10.1.1).
  server.on('checkExpectation', serve);
  server.maxConnections = CONNECTIONS;
  server.on('clientError', refuseConnection);
  return server;
}

/** What cannot be parsed is answered in the same envelope as everything else, and the connection ends. */
function refuseConnection(error: Pick<NodeJS.ErrnoException, 'code'>, socket: Duplex): void {
  const { _httpMessage: answering } = socket as Duplex & { _httpMessage?: ServerResponse | null };
  // What is wrong stands behind a whole request: its answer is owed, and the last one.
  if (answering?.req.complete && !answering.headersSent && error.code?.startsWith('HPE_')) {
    answering.setHeader('Connection', 'close');
    return;
  }
  // In the middle of an answer there is nothing sensible left to say.
  if (!socket.writable || answering?.headersSent || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const [line, refusal] = UNREADABLE[error.code ?? ''] ?? NO_HTTP;
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
