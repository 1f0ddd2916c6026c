import type { SentMessage } from '../messages.ts';
import type { PlatformAnswer, PlatformRequest, UnauthenticatedCall } from '../call.ts';

/** The only item that may belong to a lost answer; none is `absent` only if the list certainly shows everything. */
export function onlyMatch<T extends object, None extends 'absent' | 'unknown' = 'unknown'>(
  list: readonly T[],
  isOurs: (item: T) => boolean,
  none?: None,
): T | None | 'unknown' {
  const [found, another] = list.filter(isOurs);
  if (another !== undefined) return 'unknown';
  return found ?? none ?? 'unknown';
}

/** How far a platform's clock may differ from ours. */
export const SKEW_MS = 60_000;

const ZERO_WIDTH_SPACE = '\u200B';

/** Protocols and trailing slashes of links. */
const LINK_ENDS = /\bhttps?:\/\/|\/(?=\s|$)/gi;

/** Compares texts up to what platforms normalize: composition, white space, zero-width spaces, links. */
export function isSameText(found: string | undefined, sent: string): boolean {
  const plain = (value: string) =>
    value.normalize('NFC').replaceAll(ZERO_WIDTH_SPACE, '').replaceAll(LINK_ENDS, '').replaceAll(/\s+/g, ' ').trim();
  return plain(found ?? '') === plain(sent);
}

/** Platforms that round to seconds make objects seem up to a second older. */
export function secondOf(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}

/** The platform's clock, by the date headers of a call's answers. */
export function clockOf<Call extends UnauthenticatedCall>(call: Call) {
  let ahead = Number.NaN;
  async function http(request: PlatformRequest): Promise<PlatformAnswer> {
    const answer = await call.http(request);
    ahead = Date.parse(answer.headers['date'] ?? '') - call.now();
    return answer;
  }
  return {
    call: { ...call, http },
    /** Its reading at a time of ours, or up to a second less; NaN, which nothing is newer than, if unknown. */
    at: (ours: number): number => ours + ahead,
  };
}

type Sent = Readonly<{ platform_id: string; direction: 'incoming' | 'outgoing'; created_at: number }>;

/** The only message among the newest `most` that may be the sent one; absent if the list reaches far enough back. */
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

type PlatformPost = Readonly<{ platform_id: string; text: string; created_at: number }>;

/** The only item that may be our text sent at `sentAt`; `isOwn` tells ours from others'. */
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
