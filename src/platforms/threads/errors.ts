import { type GraphRow, postErrors } from '../graph/errors.ts';

const INVALID = ['refused', 'invalid_request'] as const;
const BLOCKED = ['refused', 'blocked'] as const;

const UNREADABLE = 'Threads cannot fetch a media item of the post.';

const ROWS: readonly GraphRow[] = [
  [{ subcode: 2207042 }, 'refused', 'publish_limit'],
  [{ subcode: [2207003, 2207052] }, ...INVALID, { message: UNREADABLE, passing: true }],
  [{ subcode: [2207050, 4279013] }, ...BLOCKED, 'Threads has restricted this profile: log in there to see why.'],
  [{ subcode: 2207051 }, ...BLOCKED, 'Threads has blocked this as possible abuse.'],
  [{ text: /THREADS_API__LINK_LIMIT_EXCEEDED/ }, ...INVALID, 'Threads accepts at most five different links in a post.'],
  [{ text: /could not be fetched from this URI/i }, ...INVALID, { message: UNREADABLE, passing: true }],
  [{ code: 9 }, 'refused', 'publish_limit'],
  [{ code: 24 }, 'refused', 'not_found'],
  [{ code: 2635 }, 'refused', 'version_ended'],
  [{ code: 368 }, ...BLOCKED, 'Threads has blocked this for a while, because it breaks its rules.'],
];

export const { table, errorOf } = postErrors(ROWS);
