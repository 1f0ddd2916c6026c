import type { PlatformError } from '../errors.ts';
import { graphErrors, type GraphRow } from '../graph/errors.ts';
import { errorTable } from '../shared/errors.ts';
import { pendingAs } from '../shared/pending.ts';

const INVALID = ['refused', 'invalid_request'] as const;
const BLOCKED = ['refused', 'blocked'] as const;
const QUOTA = 'The account has published as much as Instagram allows in 24 hours.';
const UNUSABLE = 'Instagram cannot use the media; try another file.';
const UNREADABLE = 'Instagram could not fetch the media from its address.';

const RATIO = 'The aspect ratio does not fit: Instagram accepts images from 4:5 to 1.91:1.';

/** Errors of media, by the code that containers and refusals contain. */
const MEDIA: Readonly<Record<number, string>> = Object.freeze({
  2207004: 'The image is too large for Instagram (8 MB).',
  2207005: 'Instagram accepts JPEG images only.',
  2207006: 'Instagram does not find the media.',
  2207009: RATIO,
  2207010: 'The caption is too long for Instagram.',
  2207023: 'Instagram does not know this kind of media.',
  2207026: 'Instagram does not accept this video format, only MP4 and MOV with H.264 or HEVC, and AAC.',
  2207028: 'A carousel takes 2 to 10 images and videos that Instagram can use.',
  2207040: 'The post tags more than Instagram allows.',
  2207057: 'The cover offset lies outside the video.',
  2207081: 'This account cannot publish trial reels.',
});
/** Instagram could not fetch or process the media; another try may succeed. */
const UNFETCHED: readonly number[] = [2207003, 2207052, 2207077];
/** Internal errors of Instagram. */
const TROUBLE: readonly number[] = [2207001, 2207032, 2207053, 2207082];
const EXPIRED = 2207020;
/** Errors after which a new container is created. */
const PASSING: ReadonlySet<number> = new Set([...UNFETCHED, ...TROUBLE, EXPIRED]);
/** Errors of publishing if a container is missing or not ready, although it was created. */
const UNREADY: ReadonlySet<number> = new Set([2207006, 2207008, EXPIRED, 2207027]);

/** Instagram's own errors; subcodes come first because they mean the same with any code. */
const ROWS: readonly GraphRow[] = [
  [{ subcode: 2207042 }, 'throttled', 'publish_limit', QUOTA],
  [{ subcode: 2534040 }, 'throttled', 'rate_limit'],
  [{ subcode: 2207050 }, ...BLOCKED, 'Instagram has restricted the account: open the app and follow what it says.'],
  [{ subcode: 2207051 }, ...BLOCKED, 'Instagram has blocked this action to protect its community.'],
  [{ subcode: UNFETCHED }, ...INVALID, { message: UNREADABLE, passing: true }],
  [{ subcode: TROUBLE }, 'unknown', 'api_error'],
  [{ subcode: 2207018 }, ...INVALID, 'Instagram does not know a user who is named in the post.'],
  ...Object.entries(MEDIA).map(([code, message]): GraphRow => [{ subcode: Number(code) }, ...INVALID, message]),
  [{ subcode: [2207008, EXPIRED] }, ...INVALID, 'The prepared post has expired on Instagram.'],
  [{ subcode: 2534025 }, 'refused', 'private_reply_ineligible', 'This comment was answered privately before.'],
  [{ subcode: 2534013 }, 'refused', 'private_reply_ineligible'],
  [{ subcode: 2534014 }, 'refused', 'not_found', 'Instagram knows no such person for this account.'],
  [{ subcode: 2534029 }, ...BLOCKED, 'Instagram does not let this account write messages.'],
  [
    { subcode: 2534041 },
    'refused',
    'permission_denied',
    'The owner has not allowed access to messages: Settings, Messages, Connected tools.',
  ],
  [{ code: 9004 }, ...INVALID, UNREADABLE],
  [{ code: 9007 }, ...INVALID, 'The media are not ready to be published.'],
  [{ code: 24 }, 'refused', 'not_found'],
  [{ code: [36000, 36001, 36003] }, ...INVALID, RATIO],
  [{ code: 368 }, ...BLOCKED, 'Instagram has blocked this for the account for a while, because it breaks its rules.'],
];

export const { table, errorOf } = graphErrors(ROWS);

/** The error table of containers, whose errors have only a subcode. */
const containerTable = errorTable(ROWS);

/** In errors of containers, numbers from here on are subcodes. */
const FIRST_SUBCODE = 2_207_000;

/** Classifies the failure of a container, whose text ends with a code. */
export function failureOf(why: string): PlatformError {
  const code = Number(/\b(2207\d{3}|3600\d)\b/.exec(why)?.[1]);
  const named =
    code >= FIRST_SUBCODE ? { code: undefined, subcode: code } : { code: code || undefined, subcode: undefined };
  const details = { name: '', ...named, text: why, isTransient: false };
  const failure = containerTable.failureOf(details, ['invalid_request', UNUSABLE]);
  return PASSING.has(code) ? pendingAs(failure) : failure;
}

/** Whether publishing failed because media are still processed or must be prepared again. */
export const isUnready = ({ details }: PlatformError): boolean =>
  details.code === 9007 || UNREADY.has(details.subcode ?? 0);
