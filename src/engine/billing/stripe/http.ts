import type { Stripe } from 'stripe';
import { OutboundError, type Outbound } from '#kernel/net/request.ts';

const MOST_BYTES = 8 * 1024 * 1024;

/** The base URL of the API, instead of https://api.stripe.com. */
export type StripeHttpOptions = Readonly<{ outbound: Pick<Outbound, 'send'>; base: string }>;

/** Sends the library's requests through our outbound HTTP client, with its proxy, limits and log. */
export function makeStripeHttp({ outbound, base }: StripeHttpOptions): Stripe.HttpClient {
  return {
    getClientName: () => 'rostra',
    async makeRequest(_host, _port, path, method, headers, requestData, _protocol, timeout) {
      const sent = Object.entries(headers).flatMap(([name, value]) =>
        name.toLowerCase() === 'content-length' || value === undefined ? [] : [[name.toLowerCase(), String(value)]],
      );
      const answer = await outbound
        .send({
          method,
          url: `${base}${path}`,
          headers: Object.fromEntries(sent) as Record<string, string>,
          ...(requestData && { body: requestData }),
          purpose: 'billing',
          given: false,
          deadlineMs: timeout,
          maxBytes: MOST_BYTES,
          overflow: 'refuse',
          pathTemplate: path.split('?')[0]!.replaceAll(/\b[a-z]+_\w{8,}/g, '{id}'),
        })
        .catch(asConnectionError);
      return {
        getStatusCode: () => answer.status,
        getHeaders: () => ({ ...answer.headers }),
        // The library adds properties to it.
        getRawResponse: () => ({}),
        toStream(): never {
          throw new Error('answers are read whole');
        },
        async toJSON(): Promise<unknown> {
          return JSON.parse(new TextDecoder().decode(answer.body));
        },
      };
    },
  };
}

/** The library retries errors with these codes. */
function asConnectionError(error: unknown): never {
  if (error instanceof OutboundError)
    Object.assign(error, { code: error.kind === 'timeout' ? 'ETIMEDOUT' : 'ECONNRESET' });
  throw error;
}
