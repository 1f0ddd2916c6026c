import { signLegacy, signV2 } from '#kernel/sign.ts';

export type SignedRequest = Readonly<{
  prefixes: readonly string[];
  userAgent: string;
  secret: string;
  /** Unix seconds; the same for all requests of an attempt. */
  timestamp: string;
  event: string;
  body: string;
  /** Undefined for test deliveries. */
  deliveryId?: string | undefined;
}>;

/** The headers of a webhook request, under every prefix: docs/contract/webhooks.md#request. */
export function headersOf(signed: SignedRequest): Readonly<Record<string, string>> {
  const { prefixes, secret, timestamp, body, deliveryId } = signed;
  const v2 = signV2(secret, timestamp, body);
  const legacy = signLegacy(secret, body);
  const headers: Record<string, string> = { 'Content-Type': 'application/json', 'User-Agent': signed.userAgent };
  for (const prefix of prefixes) {
    headers[`${prefix}-Signature-V2`] = v2;
    headers[`${prefix}-Signature`] = legacy;
    headers[`${prefix}-Timestamp`] = timestamp;
    if (deliveryId !== undefined) headers[`${prefix}-Delivery`] = deliveryId;
    headers[`${prefix}-Event`] = signed.event;
  }
  return headers;
}

export function fitsHeader(text: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]+$/.test(text);
}

const KEPT_BYTES = 4096;

/** The part of a response body that is stored: its first bytes, as text that both databases accept. */
export function keptText(body: Uint8Array): string {
  // Decoded as a stream, so that a character cut off at the end is dropped.
  return new TextDecoder().decode(body.subarray(0, KEPT_BYTES), { stream: true }).replaceAll('\0', '\u{fffd}');
}
