import { LOGIN_SETTINGS } from '../googleapis/login.ts';
import { PUBSUB_SETTINGS } from '../googleapis/pubsub.ts';
import { digits } from '../kit/ids.ts';
import type { TwinOptions } from '../kit/options.ts';
import { PUSH_SETTINGS } from '../kit/push/pushes.ts';
import { openWorld as openKit } from '../kit/world.ts';
import { ABOUT } from './about.ts';
import type { GoogleDocs } from './docs.ts';

export const SETTINGS = Object.freeze({
  ...LOGIN_SETTINGS,
  ...PUSH_SETTINGS,
  ...PUBSUB_SETTINGS,
  /** The project's requests per minute to each API; 0 means that it has no access. */
  requests_per_minute: 300,
  edits_per_minute: 10,
  /** How long Google takes to review a post, in ms, and the result. */
  post_review_ms: 0,
  post_verdict: 'LIVE',
  /** The same for replies to reviews, with the rule that a rejected reply violates. */
  reply_review_ms: 0,
  reply_verdict: 'APPROVED',
  reply_violation: 'OFF_TOPIC',
  /** The name of the field with a reply's state: `state` or `reviewReplyState`. */
  reply_state_name: 'state',
  /** For how many ms a new review is not found, although its notification is sent at once. */
  review_lag_ms: 0,
  /** The smallest photo that is accepted: in bytes, and in pixels of the shorter side. */
  least_photo_bytes: 10_240,
  least_photo_side: 250,
  /** Whether notifications have `locationName` and `reviewName`. */
  push_camel_case: false,
});

const START = '11000';

export function openWorld(options: TwinOptions) {
  const own = { settings: SETTINGS, userAgent: 'Google', newId: () => digits(18), start: START };
  const base = openKit<GoogleDocs, typeof SETTINGS, never>(options, ABOUT, own);
  return Object.freeze({ ...base, hosts: { maps: base.webHost('maps'), cdn: base.webHost('cdn') } });
}
export type World = ReturnType<typeof openWorld>;

export const googleTime = (ms: number): string => new Date(ms).toISOString();

export const pictureOf = ({ hosts }: Pick<World, 'hosts'>, id: string): string => `${hosts.cdn()}/picture/${id}.png`;

export const fileUrl = ({ hosts }: Pick<World, 'hosts'>, blob: string): string => `${hosts.cdn()}/${blob}`;

export const placeUrl = ({ hosts }: Pick<World, 'hosts'>, location: string): string =>
  `${hosts.maps()}/maps?cid=${location}`;
export const postUrl = ({ hosts }: Pick<World, 'hosts'>, location: string, post: string): string =>
  `${hosts.maps()}/place?id=${location}&use=posts&lpsid=${post}`;
