import type { HandshakeAnswer, Push, PushTrust } from '../../push.ts';

/** What challenges consist of; JSON objects and lists, feeds, and signed requests have other characters too. */
const CHALLENGE = /^[A-Za-z0-9+/=_-]{1,200}$/;

/** The answer to a platform that asks whether a push address is ours; undefined refuses, as it does whatever could be a push. */
export function answerHandshake(
  { handshake }: Pick<Push, 'handshake'>,
  query: Readonly<Record<string, string>>,
  trust: PushTrust,
): HandshakeAnswer | undefined {
  const challenge = handshake?.challenge.map((name) => query[name]).find((given) => given !== undefined) ?? '';
  return CHALLENGE.test(challenge) ? handshake!.answer(challenge, query, trust) : undefined;
}

/** Whether a body can be that of a push: nothing that a handshake would sign for whoever asks. */
export function canBePush(body: Uint8Array): boolean {
  return body.length > 0 && !CHALLENGE.test(Buffer.from(body).toString('latin1'));
}
