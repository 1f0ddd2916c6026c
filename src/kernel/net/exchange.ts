import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { systemClock } from '../clock.ts';
import { OutboundError, stoppedBy, type OutboundFailure, type OutboundRequest } from './outbound.ts';

/** One HTTP request to an address that has been checked. */
export type Hop = Readonly<{
  url: URL;
  method: string;
  headers: Readonly<Record<string, string>>;
  body?: OutboundRequest['body'];
  maxBytes: number;
  overflow: 'truncate' | 'refuse';
  anyStatus?: OutboundRequest['anyStatus'];
  head?: OutboundRequest['head'];
  sink?: OutboundRequest['sink'];
  signal: AbortSignal;
  /** The time of the deadline by the system's clock: the monotonic one stands still while the machine sleeps. */
  until: number;
}>;

export type HopAnswer = Readonly<{
  status: number;
  headers: Readonly<Record<string, string>>;
  body: Uint8Array;
  truncated: boolean;
  bytes: number;
}>;

/** How many bytes of a failure's body are kept. */
const FAILURE_BODY_BYTES = 65_536;

/** Sends one request and returns the raw response, without following redirects. Throws only OutboundError. */
export function exchange(dispatcher: Dispatcher, hop: Hop): Promise<HopAnswer> {
  const { url, signal, body } = hop;
  return new Promise((resolve, reject) => {
    let sent = false;
    let over = false;
    let control: Dispatcher.DispatchController | undefined;
    let status = 0;
    let headers: Readonly<Record<string, string>> = {};
    let bytes = 0;
    let room = hop.maxBytes;
    const collected = makeCollector();

    const stop = () => failWith(stoppedBy(signal, url.host, sent));
    const ownSideFailed = (cause: Error) => failWith(new OutboundError('aborted', url.host, { sent, cause }));

    function end() {
      over = true;
      signal.removeEventListener('abort', stop);
      if (body instanceof Readable) body.off('error', ownSideFailed);
    }
    function finish(truncated: boolean) {
      if (over) return;
      end();
      resolve(Object.freeze({ status, headers, body: collected.take(), truncated, bytes }));
      if (truncated) control?.abort(new Error('the rest of the answer is not needed'));
    }
    function failWith(error: OutboundError) {
      if (over) return;
      end();
      reject(error);
      control?.abort(error);
    }
    const tooLarge = () => failWith(new OutboundError('too_large', url.host, { sent }));

    const succeeded = () => hop.anyStatus === true || (status >= 200 && status < 300);
    const pours = () => hop.sink !== undefined && succeeded();
    const refuses = () => hop.overflow === 'refuse' && succeeded();

    /** Passes a chunk to the sink; while the sink is busy, the socket is not read. */
    function pour(chunk: Uint8Array, last: boolean, controller: Dispatcher.DispatchController) {
      const goOn = () => (last ? finish(true) : over || controller.resume());
      try {
        const taken = hop.sink?.(chunk);
        if (taken === undefined) return last && finish(true);
        controller.pause();
        taken.then(goOn, ownSideFailed);
      } catch (error) {
        ownSideFailed(error as Error);
      }
    }

    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop, { once: true });
    if (body instanceof Readable) {
      if (body.destroyed) return ownSideFailed(body.errored ?? new Error('the source was closed'));
      body.on('error', ownSideFailed);
    }

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(controller) {
        // After the process was frozen or the machine slept while connecting, this runs before its timers.
        if (systemClock.now() >= hop.until) failWith(new OutboundError('timeout', url.host));
        // Nothing is written if the request was given up while connecting or is offered a second time.
        if (over || sent) return controller.abort(new Error('no longer needed'));
        control = controller;
        sent = true;
      },
      onResponseStart(controller, code, fields) {
        if (code < 200) return;
        status = code;
        headers = flatten(fields);
        if (!succeeded() && hop.overflow === 'refuse') room = Math.min(room, FAILURE_BODY_BYTES);
        if (refuses() && hop.method !== 'HEAD' && Number(headers['content-length']) > room) return tooLarge();
        if (succeeded() && !over) hop.head?.({ status, headers });
      },
      onResponseData(controller, chunk) {
        // Resuming an empty socket yields an empty chunk; pausing for that would repeat endlessly.
        if (over || chunk.length === 0) return;
        const fits = chunk.subarray(0, Math.max(0, room - bytes));
        bytes += chunk.length;
        const full = bytes > room;
        if (full && refuses()) return tooLarge();
        if (pours()) return void pour(fits, full, controller);
        collected.add(fits);
        if (full) finish(true);
      },
      onResponseEnd() {
        finish(false);
      },
      onResponseError(_controller, cause) {
        failWith(explained(cause, url.host, sent));
      },
    };
    try {
      dispatcher.dispatch(dispatchOptions(hop), handler);
    } catch (cause) {
      failWith(explained(cause, url.host, sent));
    }
  });
}

function dispatchOptions({ url, method, headers, body }: Hop): Dispatcher.DispatchOptions {
  return { origin: url.origin, path: url.pathname + url.search, method, headers, body: body ?? null };
}

/** Copies chunks into one buffer, so that a response in single bytes does not hold an object for each. */
function makeCollector() {
  let held = Buffer.alloc(0);
  let used = 0;
  return {
    add(chunk: Uint8Array) {
      if (used + chunk.length > held.length) {
        const wider = Buffer.allocUnsafeSlow(Math.max(used + chunk.length, held.length * 2, 1_024));
        held.copy(wider, 0, 0, used);
        held = wider;
      }
      held.set(chunk, used);
      used += chunk.length;
    },
    take: (): Uint8Array => held.subarray(0, used),
  };
}

function flatten(fields: Readonly<Record<string, string | string[] | undefined>>): Readonly<Record<string, string>> {
  const flat = Object.create(null) as Record<string, string>;
  for (const [name, value = ''] of Object.entries(fields)) {
    flat[name.toLowerCase()] = Array.isArray(value) ? value.join(', ') : value;
  }
  return Object.freeze(flat);
}

function explained(cause: unknown, host: string, sent: boolean): OutboundError {
  if (cause instanceof OutboundError) return cause;
  const kind = kindOf((cause as { code?: string } | null)?.code ?? '', sent);
  const because = kind === 'protocol' && !sent ? 'the request cannot be written' : undefined;
  return new OutboundError(kind, host, { sent, cause, ...(because && { because }) });
}

function kindOf(code: string, sent: boolean): OutboundFailure {
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return 'too_large';
  if (code === 'UND_ERR_DESTROYED' || code === 'UND_ERR_CLOSED') return 'aborted';
  if (code === 'UND_ERR_INVALID_ARG') return 'protocol';
  if (/^ERR_(SSL|TLS)|^EPROTO$|^CERT_|CERTIFICATE|ALTNAME/.test(code)) return 'tls';
  if (!sent) return 'connect';
  return code === 'UND_ERR_SOCKET' || /^E[A-Z]+$/.test(code) ? 'reset' : 'protocol';
}
