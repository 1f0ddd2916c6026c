import { MINUTE } from '#kernel/clock.ts';
import type { SentMessage } from '../messages.ts';
import type { PlatformAnswer, PlatformRequest, UnauthenticatedCall } from '../call.ts';

/** The only item that may belong to a lost response, else `none` (pass `absent` only if the list is complete). */
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
export const SKEW_MS = MINUTE;

const ZERO_WIDTH_SPACE = '\u200B';

/** Matches protocols and trailing slashes of links, which platforms may remove. */
const LINK_ENDS = /\bhttps?:\/\/|\/(?=\s|$)/gi;

/** Compares texts but ignores what platforms normalize: composition, white space, zero-width spaces, links. */
export function isSameText(found: string | undefined, sent: string): boolean {
  const plain = (value: string) =>
    value.normalize('NFC').replaceAll(ZERO_WIDTH_SPACE, '').replaceAll(LINK_ENDS, '').replaceAll(/\s+/g, ' ').trim();
  return plain(found ?? '') === plain(sent);
}

/** Rounds down, as platforms that store seconds make objects seem up to a second older. */
export function secondOf(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}

/** Measures the platform's clock by the date headers of its responses. */
export function clockOf<Call extends UnauthenticatedCall>(call: Call) {
  let ahead = Number.NaN;
  async function http(request: PlatformRequest): Promise<PlatformAnswer> {
    const answer = await call.http(request);
    ahead = Date.parse(answer.headers['date'] ?? '') - call.now();
    return answer;
  }
  return {
    call: { ...call, http },
    /** The platform's time at our time, up to a second behind; NaN if unknown, so that nothing counts as newer. */
    at: (ours: number): number => ours + ahead,
  };
}

type Sent = Readonly<{ platform_id: string; direction: 'incoming' | 'outgoing'; created_at: number }>;

/**
 * The only listed message that may be the sent one; without one, `absent` if the list reaches back far enough. `isWhole`:
 * every entry was read. An empty list proves nothing, because the person has written before.
 */
export function onlySent<T extends Sent>(
  listed: readonly T[],
  given: Readonly<{ sentAt: number; taken: ReadonlySet<string>; most: number; isWhole: boolean }>,
  isSame: (message: T) => boolean,
): SentMessage | 'absent' | 'unknown' {
  const { sentAt, taken, most, isWhole } = given;
  const recent = listed.filter(({ created_at }) => created_at >= secondOf(sentAt));
  const isAll = isWhole && listed.length > 0 && (recent.length < listed.length || listed.length < most);
  const found = onlyMatch(
    recent,
    (one) => one.direction === 'outgoing' && !taken.has(one.platform_id) && isSame(one),
    isAll ? 'absent' : 'unknown',
  );
  return typeof found === 'string' ? found : { message_id: found.platform_id, created_at: found.created_at };
}

type PlatformPost = Readonly<{ platform_id: string; text: string; created_at: number }>;

/** The only item that may be the text we sent at `sentAt`; `isOwn` recognizes the account's items. */
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
