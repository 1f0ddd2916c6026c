import { sealContext } from '#db/schema/sealed.ts';
import { boundedMap } from '#kernel/limits/bounded-map.ts';
import { untraced, type Spanned } from '#kernel/metrics/trace.ts';
import { OutboundError, type OutboundAnswer, type OutboundFailure } from '#kernel/net/request.ts';
import { fullAddress, openCredentials } from './address.ts';
import type { DeliveryDeps } from './ports.ts';
import { headersOf, keptText } from './signed-request.ts';

/** How an attempt ended: with a response, or with the reason why there is none. */
export type DeliveryResult = Readonly<{
  ok: boolean;
  status_code: number | null;
  duration_ms: number;
  response_body: string | null;
  error_message: string | null;
  /** The signed time in Unix seconds; null if no request was sent. */
  signed_at: number | null;
  /** A further attempt would give the same result. */
  final?: boolean;
}>;

type Sending = Readonly<{
  endpoint: Readonly<{ id: string; url: string; credentials: string | null; secret: string }>;
  event: string;
  body: string;
  deliveryId?: string;
  /** Whether to send the same request once more after a lost connection, 429 or 5xx. */
  repeat: boolean;
}>;

export type Attempt = (sending: Sending) => Promise<DeliveryResult>;

const DEADLINE_MS = 10_000;
/** Added to the deadlines of two requests, as time to store the result. */
const LEASE_MARGIN_MS = 10_000;
const READ_BYTES = 16_384;
const OPENED_SECRETS = 1000;

/** Failures worth a repeat. Our own deadline and refused addresses are not: the result would be the same. */
const LOST: ReadonlySet<OutboundFailure> = new Set(['dns', 'connect', 'tls', 'reset']);

/** How long the lease of an attempt lasts; an attempt makes at most two requests. */
export function leaseMs(deadlineMs = DEADLINE_MS): number {
  return 2 * deadlineMs + LEASE_MARGIN_MS;
}

export function noResponse(error_message: string, duration_ms = 0): DeliveryResult {
  return { ok: false, status_code: null, duration_ms, response_body: null, error_message, signed_at: null };
}

/** Makes one attempt: a request and at most one repeat, with the same body and timestamp on a new connection. */
export function makeAttempt(deps: DeliveryDeps): Attempt {
  const { outbound, clock, sealer, log, prefixes, userAgent, deadlineMs = DEADLINE_MS, trace = untraced } = deps;

  const opened = boundedMap<string, string>(OPENED_SECRETS);

  /** Decrypting a secret costs more than signing, so recently used ones are cached. */
  function open(sealed: string, context: string): string {
    const known = opened.get(sealed) ?? sealer.open(sealed, context);
    opened.set(sealed, known);
    return known;
  }

  const secretOf = ({ id, secret }: Sending['endpoint']) => open(secret, sealContext('endpoints', id));

  function addressOf({ id, url, credentials }: Sending['endpoint']): string {
    if (credentials === null) return url;
    return fullAddress(url, openCredentials(open(credentials, sealContext('endpoint_credentials', id))));
  }

  async function once(sending: Sending, headers: Readonly<Record<string, string>>, freshSocket: boolean) {
    const started = clock.now();
    try {
      const answer = await outbound.send({
        method: 'POST',
        url: addressOf(sending.endpoint),
        headers,
        body: sending.body,
        purpose: 'webhook',
        given: true,
        deadlineMs,
        maxBytes: READ_BYTES,
        overflow: 'truncate',
        redirects: 0,
        freshSocket,
      });
      return { outcome: resultOf(answer), sent: true, again: isPassing(answer.status) };
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      const outcome = noResponse(error.message, clock.now() - started);
      return { outcome, sent: error.sent, again: LOST.has(error.kind) };
    }
  }

  async function make(sending: Sending): Promise<DeliveryResult> {
    try {
      const timestamp = Math.floor(clock.now() / 1000);
      const headers = headersOf({
        prefixes,
        userAgent,
        secret: secretOf(sending.endpoint),
        timestamp: String(timestamp),
        event: sending.event,
        body: sending.body,
        deliveryId: sending.deliveryId,
      });
      const first = await once(sending, headers, false);
      const last = first.again && sending.repeat ? await once(sending, headers, true) : first;
      return { ...last.outcome, signed_at: first.sent || last.sent ? timestamp : null };
    } catch (error) {
      // A delivery that cannot be sent, such as one whose key was lost, must not delay others.
      log.error({ error, endpoint: sending.endpoint.id }, 'a webhook request could not be made');
      return noResponse('the request could not be made');
    }
  }

  return (sending) =>
    trace(spanOf(sending), async (span) => {
      const result = await make(sending);
      if (result.status_code !== null) span.set({ 'http.response.status_code': result.status_code });
      if (!result.ok) span.fail(String(result.status_code ?? 'unanswered'));
      return result;
    });
}

function spanOf({ endpoint, event, deliveryId = '' }: Sending): Spanned {
  const attributes = { 'rostra.event': event, 'rostra.webhook_id': endpoint.id, 'rostra.delivery_id': deliveryId };
  return { name: `webhook ${event}`, kind: 'client', root: true, attributes };
}

function resultOf(answer: OutboundAnswer): Omit<DeliveryResult, 'signed_at'> {
  return {
    ok: answer.status >= 200 && answer.status <= 299,
    status_code: answer.status,
    duration_ms: answer.durationMs,
    response_body: answer.fromPrivate ? null : keptText(answer.body),
    error_message: null,
  };
}

function isPassing(status: number): boolean {
  return status === 429 || (status >= 500 && status <= 599 && status !== 501);
}
