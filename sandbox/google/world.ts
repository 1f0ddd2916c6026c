import { LOGIN_SETTINGS } from '../googleapis/login.ts';
import { PUBSUB_SETTINGS } from '../googleapis/pubsub.ts';
import { digits } from '../kit/ids.ts';
import type { TwinOptions } from '../kit/options.ts';
import { PUSH_SETTINGS } from '../kit/push/pushes.ts';
import { openWorld as openKit } from '../kit/world.ts';
import { ABOUT } from './about.ts';
import type { GoogleDocs } from './docs.ts';

/** How the twin behaves where the real network differs from day to day. */
export const SETTINGS = Object.freeze({
  ...LOGIN_SETTINGS,
  ...PUSH_SETTINGS,
  ...PUBSUB_SETTINGS,
  /** Requests a minute that the project has for each API; 0 is a project that was not given access. */
  requests_per_minute: 300,
  /** Posts and media of one location that may be made, changed or deleted in a minute. */
  edits_per_minute: 10,
  /** How long Google looks at a post, in milliseconds, and what comes of it. */
  post_review_ms: 0,
  post_verdict: 'LIVE',
  /** The same for replies to reviews, with the rule that a rejected one has broken. */
  reply_review_ms: 0,
  reply_verdict: 'APPROVED',
  reply_violation: 'OFF_TOPIC',
  /** The member that says the state of a reply: `state` or `reviewReplyState`. */
  reply_state_name: 'state',
  /** A review is not found for so long after it was written, though it is pushed at once. */
  review_lag_ms: 0,
  /** What a photo has at least: bytes, and pixels of its shorter side. */
  least_photo_bytes: 10_240,
  least_photo_side: 250,
  /** The members of pushes are called `locationName` and `reviewName`. */
  push_camel_case: false,
});

/** Ids of people have 21 digits. */
const START = '11000';

/** Opens what the parts of the twin share. */
export function openWorld(options: TwinOptions) {
  const own = { settings: SETTINGS, userAgent: 'Google', newId: () => digits(18), start: START };
  const base = openKit<GoogleDocs, typeof SETTINGS, never>(options, ABOUT, own);
  return Object.freeze({ ...base, hosts: { maps: base.webHost('maps'), cdn: base.webHost('cdn') } });
}
export type World = ReturnType<typeof openWorld>;

/** An instant as Google writes it. */
export const googleTime = (ms: number): string => new Date(ms).toISOString();

/** Where the picture of a person is. */
export const pictureOf = ({ hosts }: Pick<World, 'hosts'>, id: string): string => `${hosts.cdn()}/picture/${id}.png`;

/** Where a file is. */
export const fileUrl = ({ hosts }: Pick<World, 'hosts'>, blob: string): string => `${hosts.cdn()}/${blob}`;

/** Where people find a place, and a post of it. */
export const placeUrl = ({ hosts }: Pick<World, 'hosts'>, location: string): string =>
  `${hosts.maps()}/maps?cid=${location}`;
/** Where people find a post. */
export const postUrl = ({ hosts }: Pick<World, 'hosts'>, location: string, post: string): string =>
  `${hosts.maps()}/place?id=${location}&use=posts&lpsid=${post}`;
