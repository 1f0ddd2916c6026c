import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { ApiError, envelope } from '../../kernel/errors.ts';
import { randomHex } from '../../kernel/ids.ts';

const HEADERS_MS = 30_000;
/** An OAuth state of 3,000 characters beyond ASCII makes an address of 36 KB. */
const HEADER_BYTES = 65_536;
/** Long enough for the largest upload over a slow line. */
const REQUEST_MS = 900_000;
/** Longer than the proxies in front wait, so that none of them writes into a closing connection. */
const IDLE_MS = 75_000;
/** How long a refused connection may take to go. */
const LINGER_MS = 2_000;

type Unreadable = Readonly<{ status: number; reason: string; refusal: ApiError }>;

const NO_HTTP: Unreadable = {
  status: 400,
  reason: 'Bad Request',
  refusal: new ApiError('validation.body_invalid', { message: 'The request is not valid HTTP.' }),
};
const UNREADABLE: Readonly<Record<string, Unreadable>> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    reason: 'Request Header Fields Too Large',
    refusal: new ApiError('http.413', { message: 'The address or the headers are too long.' }),
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    reason: 'Request Timeout',
    refusal: new ApiError('validation.body_invalid', { message: 'The request took too long to arrive.' }),
  },
};

/** An HTTP server around the application, with limits on time and an answer for what is no HTTP. */
export function makeServer(listener: RequestListener): Server {
  const server = createServer(
    { maxHeaderSize: HEADER_BYTES, headersTimeout: HEADERS_MS, requestTimeout: REQUEST_MS, keepAliveTimeout: IDLE_MS },
    listener,
  );
  server.on('clientError', refuseConnection);
  return server;
}

/** What cannot be parsed is answered in the same envelope as everything else, and the connection ends. */
function refuseConnection(error: NodeJS.ErrnoException, socket: Duplex): void {
  // In the middle of an answer there is nothing sensible left to say.
  const { _httpMessage: answering } = socket as Duplex & { _httpMessage?: ServerResponse | null };
  if (!socket.writable || answering?.headersSent || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const { status, reason, refusal } = UNREADABLE[error.code ?? ''] ?? NO_HTTP;
  const requestId = randomHex(8);
  const body = JSON.stringify(envelope(refusal, requestId));
  // What is still on its way is read and dropped: a reset would take the answer with it.
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.end(
    `HTTP/1.1 ${status} ${reason}\r\nX-Request-ID: ${requestId}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    () => socket.destroy(),
  );
}
