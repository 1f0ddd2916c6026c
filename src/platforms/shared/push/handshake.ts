import type { HandshakeAnswer, Push, PushTrust } from '../../push.ts';

/** Characters of a challenge. JSON objects and lists, feeds and signed requests contain others too. */
const CHALLENGE = /^[A-Za-z0-9+/=_-]{1,200}$/;

/** The response to a verification of our push address; undefined refuses it, as for anything that could be a push. */
export function answerHandshake(
  { handshake }: Pick<Push, 'handshake'>,
  query: Readonly<Record<string, string>>,
  trust: PushTrust,
): HandshakeAnswer | undefined {
  const challenge = handshake?.challenge.map((name) => query[name]).find((given) => given !== undefined) ?? '';
  return CHALLENGE.test(challenge) ? handshake!.answer(challenge, query, trust) : undefined;
}

/** Whether a body could be a push; the handshake must never sign one. */
export function canBePush(body: Uint8Array): boolean {
  return body.length > 0 && !CHALLENGE.test(Buffer.from(body).toString('latin1'));
}
