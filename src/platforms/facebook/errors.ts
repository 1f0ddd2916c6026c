import { graphErrors, type GraphRow } from '../graph/errors.ts';

const INVALID = ['refused', 'invalid_request'] as const;
const BLOCKED = ['refused', 'blocked'] as const;
const UNKNOWN = ['unknown', 'api_error'] as const;

/** Facebook's own errors; subcodes come first because they mean the same with any code. */
const ROWS: readonly GraphRow[] = [
  [{ subcode: 1390008 }, 'throttled', 'rate_limit', 'Facebook says that the Page posts too fast.'],
  [{ subcode: 1346003 }, ...BLOCKED, 'Facebook considers the content abusive.'],
  [{ subcode: 1349125 }, ...INVALID, 'Facebook does not accept this kind of file.'],
  [{ subcode: [1363047, 1609010] }, ...UNKNOWN],
  [{ subcode: 1366046 }, ...INVALID, 'The photo is too large for Facebook, or of a kind that it does not take.'],
  [{ subcode: 1366051 }, 'refused', 'duplicate', 'Facebook says that these photos were already posted.'],
  [{ subcode: 1404006 }, ...BLOCKED, 'Facebook wants a security check: log in there as the Page and follow it.'],
  // The error is about one Page and its person, so reconnecting the login would not help.
  [
    { subcode: 1404078 },
    'refused',
    'permission_denied',
    'Facebook wants a Page publishing authorisation: log in there to give it.',
  ],
  [{ subcode: 1404102 }, ...BLOCKED, 'Facebook says that the content breaks its rules.'],
  [{ subcode: 1404112 }, ...BLOCKED, 'Facebook has limited what this Page may do.'],
  [{ subcode: 1609005 }, ...INVALID, 'Facebook cannot read the page that the link leads to.'],
  [{ subcode: 1609008 }, ...INVALID, 'Facebook does not accept a link to facebook.com here.'],
  [{ subcode: 2018001 }, 'refused', 'not_found', 'Facebook knows no such person for this Page.'],
  [{ subcode: 2018108 }, ...BLOCKED, 'This person does not accept messages from the Page.'],
  [{ subcode: 2061006 }, ...INVALID, 'Facebook does not accept this address.'],
  [{ subcode: 2069019 }, ...INVALID, 'Facebook cannot read this file.'],
  [
    { subcode: 4854002 },
    ...BLOCKED,
    'Facebook wants somebody who manages the Page to confirm their identity: log in there.',
  ],
  [{ code: 324 }, ...INVALID, 'Facebook cannot use this photo; try another file.'],
  [{ code: [352, 382, 383, 386, 6000] }, ...INVALID, 'Facebook cannot use this video; try another file.'],
  [{ code: 368 }, ...BLOCKED, 'Facebook has blocked this for the Page for a while, because it breaks its rules.'],
  [{ code: 506 }, 'refused', 'duplicate', 'Facebook says that the Page has just posted the same.'],
  [{ code: 1500 }, ...INVALID, 'Facebook does not accept this address.'],
  [{ code: 2200 }, ...INVALID, 'Facebook did not reach the address for its pushes.'],
  [{ code: [10900, 10901, 10902, 10903] }, 'refused', 'private_reply_ineligible'],
  [{ code: 1609005 }, ...INVALID, 'Facebook cannot read the page that the link leads to.'],
];

export const { table, refusalOf, errorOf, failureOf } = graphErrors(ROWS);

/** Whether the upload host has refused a file for good; its errors have a different form. */
export function isFinalUpload(body: unknown): boolean {
  const { debug_info: info } = (body ?? {}) as { debug_info?: unknown };
  return (info as Readonly<Record<string, unknown>> | null | undefined)?.['retriable'] === false;
}
