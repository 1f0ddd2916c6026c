import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '#kernel/clock.ts';

/** After pipelining, connections are read request by request for this long. */
const GUARD_MS = 600_000;
const HEAD_END = Buffer.from('\r\n\r\n');
/** The smallest chunk for the parser. A body of nothing but CRLF CRLF would cost one call per few bytes. */
const LEAST_BYTES = 512;

type Parse = (chunk: Buffer) => void;

/** A connection that is read request by request. */
type Guarded = {
  /** The newest waiting request; `waiting` counts them. */
  last: ServerResponse | undefined;
  waiting: number;
  broken: boolean;
};

/** The response being sent, and the response to the newest request. */
export type PendingResponses = Readonly<{ current: ServerResponse | undefined; last: ServerResponse | undefined }>;

export type Pipeline = Readonly<{
  accept(socket: Socket): void;
  /** Serves a request after all earlier ones on its connection. */
  handle: RequestListener;
  /** Stops parsing a connection and returns its unsent responses. */
  abandon(socket: Socket): PendingResponses;
}>;

/** The response that is being sent on a connection. */
const currentResponse = (socket: Socket): ServerResponse | undefined =>
  (socket as Socket & { _httpMessage?: ServerResponse | null })._httpMessage ?? undefined;

/** Serves pipelined requests one by one; Node would parse and run all at once. The first pipelining turns this on. */
export function makePipeline(serve: RequestListener, clock: Clock): Pipeline {
  const unguarded = new Set<Socket>();
  const guarded = new WeakMap<Socket, Guarded>();
  /** Connections whose responses are sent even after their client has ended its side. */
  const withPending = new WeakSet<Socket>();
  const ready: (() => void)[] = [];
  let guardUntil = 0;

  function accept(socket: Socket): void {
    // A client that ends its side early has left. One that pipelined still reads its responses.
    socket.once('end', () => {
      if (!withPending.has(socket)) socket.end();
    });
    if (clock.now() < guardUntil) {
      guard(socket);
      return;
    }
    unguarded.add(socket);
    socket.once('close', () => unguarded.delete(socket));
  }

  function guardAll(): void {
    guardUntil = clock.now() + GUARD_MS;
    for (const socket of unguarded) guard(socket);
    unguarded.clear();
  }

  /** Puts `feed` between the connection and its parser. */
  function guard(socket: Socket): Guarded {
    const connection: Guarded = { last: undefined, waiting: 0, broken: false };
    guarded.set(socket, connection);
    const parsers = socket.listeners('data') as Parse[];
    socket.removeAllListeners('data');
    // Node's parser reads the handle directly until another `data` listener is added.
    socket.on('data', (chunk: Buffer) => {
      const rest = feed(socket, connection, parsers, chunk);
      if (rest.length > 0) socket.unshift(rest);
    });
    socket.on('resume', () => {
      if (connection.waiting > 0) socket.pause();
    });
    // Ends the read that the stream believes to be pending, so that a paused connection reads again.
    socket.push('');
    return connection;
  }

  function handle(req: IncomingMessage, res: ServerResponse): void {
    // A response gets its socket at once unless earlier responses are unfinished.
    if (res.socket === null) hold(req, res);
    else serve(req, res);
  }

  function hold(req: IncomingMessage, res: ServerResponse): void {
    const { socket } = req;
    if (!guarded.has(socket)) guardAll();
    const connection = guarded.get(socket);
    const previous = connection?.last ?? currentResponse(socket);
    if (connection === undefined || previous === undefined) return;
    connection.last = res;
    connection.waiting += 1;
    withPending.add(socket);
    socket.pause();
    previous.once('close', () => {
      const begin = () => {
        connection.waiting -= 1;
        if (connection.last === res) connection.last = undefined;
        // The previous response closed this connection.
        if (!socket.writable) return;
        if (connection.waiting === 0) socket.resume();
        serve(req, res);
      };
      if (ready.push(begin) === 1) setImmediate(beginNext);
    });
  }

  function beginNext(): void {
    const begin = ready.shift()!;
    if (ready.length > 0) setImmediate(beginNext);
    begin();
  }

  return {
    accept,
    handle,
    abandon(socket) {
      withPending.add(socket);
      const connection = guarded.get(socket);
      if (connection) connection.broken = true;
      const current = currentResponse(socket);
      return { current, last: connection?.last ?? current };
    },
  };
}

/** Parses up to the first request that has to wait, and returns the rest. */
function feed(socket: Socket, connection: Guarded, parsers: readonly Parse[], chunk: Buffer): Buffer {
  let rest = chunk;
  while (rest.length > 0 && !socket.isPaused()) {
    const end = rest.indexOf(HEAD_END, LEAST_BYTES);
    const length = end === -1 ? rest.length : end + HEAD_END.length;
    for (const parse of parsers) parse(rest.subarray(0, length));
    if (connection.broken || !socket.writable) return rest.subarray(rest.length);
    rest = rest.subarray(length);
  }
  return rest;
}
