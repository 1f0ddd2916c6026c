import type { SentMessage } from '../messages.ts';
import type { PlatformAnswer, PlatformRequest, UnauthenticatedCall } from '../call.ts';

/**
 * The only item of a list that may be what a lost answer was about. Of several nobody knows which; of none it is
 * `unknown` too, unless the list certainly shows everything (`absent`).
 */
export function onlyMatch<T extends object, None extends 'absent' | 'unknown' = 'unknown'>(
  list: readonly T[],
  isOurs: (item: T) => boolean,
  none?: None,
): T | None | 'unknown' {
  const [found, another] = list.filter(isOurs);
  if (another !== undefined) return 'unknown';
  return found ?? none ?? 'unknown';
}

/** How far the clock of a platform may differ from ours. */
export const SKEW_MS = 60_000;

const ZERO_WIDTH_SPACE = '\u200B';

/** Protocols and last slashes of links. */
const LINK_ENDS = /\bhttps?:\/\/|\/(?=\s|$)/gi;

/** Compares texts ignoring what platforms normalize: composition, white space, zero-width spaces, how links are written. */
export function isSameText(found: string | undefined, sent: string): boolean {
  const plain = (value: string) =>
    value.normalize('NFC').replaceAll(ZERO_WIDTH_SPACE, '').replaceAll(LINK_ENDS, '').replaceAll(/\s+/g, ' ').trim();
  return plain(found ?? '') === plain(sent);
}

/** Where platforms round times to seconds, an object may seem up to a second older than it is. */
export function secondOf(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}

/** The clock of a platform, as the answers to a call date themselves. */
export function clockOf<Call extends UnauthenticatedCall>(call: Call) {
  let ahead = Number.NaN;
  async function http(request: PlatformRequest): Promise<PlatformAnswer> {
    const answer = await call.http(request);
    ahead = Date.parse(answer.headers['date'] ?? '') - call.now();
    return answer;
  }
  return {
    call: { ...call, http },
    /** What it showed at a time of ours, or up to a second less; NaN, which nothing is newer than, if no answer says so. */
    at: (ours: number): number => ours + ahead,
  };
}

type Sent = Readonly<{ platform_id: string; direction: 'incoming' | 'outgoing'; created_at: number }>;

/**
 * The only message among the newest `most` of a conversation that may be what was sent; that there is none is certain
 * if the list reaches back to before.
 */
export function onlySent<T extends Sent>(
  listed: readonly T[],
  { sentAt, taken, most }: Readonly<{ sentAt: number; taken: ReadonlySet<string>; most: number }>,
  isSame: (message: T) => boolean,
): SentMessage | 'absent' | 'unknown' {
  const recent = listed.filter(({ created_at }) => created_at >= secondOf(sentAt));
  const isAll = recent.length < listed.length || listed.length < most;
  const found = onlyMatch(
    recent,
    (one) => one.direction === 'outgoing' && !taken.has(one.platform_id) && isSame(one),
    isAll ? 'absent' : 'unknown',
  );
  return typeof found === 'string' ? found : { message_id: found.platform_id, created_at: found.created_at };
}

/** Something written, as a list shows it. */
type PlatformPost = Readonly<{ platform_id: string; text: string; created_at: number }>;

/** The only item that may be the text of ours that was sent at `sentAt`; `isOwn` tells ours from those of others. */
export function onlyText<T extends PlatformPost>(
  list: readonly T[],
  sent: string,
  { sentAt, taken }: Readonly<{ sentAt: number; taken: ReadonlySet<string> }>,
  isOwn: (item: T) => boolean,
): T | 'unknown' {
  return onlyMatch<T, 'unknown'>(
    list,
    (item) =>
      isOwn(item) && item.created_at >= secondOf(sentAt) && isSameText(item.text, sent) && !taken.has(item.platform_id),
  );
}
