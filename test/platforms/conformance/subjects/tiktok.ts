import { expect } from 'vitest';
import { table } from '#platforms/tiktok/errors.ts';
import { tiktok } from '#platforms/tiktok/index.ts';
import type { Failed } from '#platforms/shared/errors.ts';
import { jpeg } from '#test/harness/media-samples.ts';
import type { Json } from '#test/harness/world.ts';
import type { Instead } from '#test/harness/platforms/gate.ts';
import { commentCase, messageCase, replyCase, say } from '../answers.ts';
import { connectByConsent, OWNERS } from '../consent.ts';
import { countsOf, FRED, twinOf } from '../twin.ts';
import { jsonAnswer, probeOf, samplesOf } from '../errors.ts';
import { uprightVideo, video } from '../files.ts';
import { eventsOf, type Door, type PostCase, type Probe, type ProbeRow, type Scene, type Subject } from '../subject.ts';

const { act, list } = twinOf('tiktok');

const connectBy = (login: string) =>
  async function connect(door: Door, nth: number) {
    const person = OWNERS[nth]!;
    // Tests publish more in a day, and answer one message more often, than TikTok takes.
    await act(door, 'settings', { posts_a_day: '10000', messages_a_window: '10000' });
    return { account: await connectByConsent(door, 'tiktok', '/v2/auth/authorize/', { person, login }), person };
  };

const seen: PostCase['seen'] = async (door, text) => [
  countsOf(await list(door, 'posts', ({ about }) => about.text === text)),
];
const commentsOf = async (door: Door, text: string) =>
  countsOf(await list(door, 'comments', (one) => one.text === text));

/** Where a stored file can be fetched. */
const addressOf = async (door: Door, id: string) =>
  (await door.rest('GET /v1/media')).body.data.find((one: Json) => one.id === id).url as string;
const photo = (door: Door) => door.upload('a.jpg', 'image/jpeg', jpeg(720, 1280));

const kinds = {
  video: { input: async (door) => ({ media_ids: [await video(door, uprightVideo(5000))] }), seen },
  photos: { input: async (door) => ({ title: 'Bread', media_ids: [await photo(door), await photo(door)] }), seen },
} satisfies Record<string, PostCase>;

const developerError = ({ status, name: code, text: message }: Failed): Instead =>
  jsonAnswer(status, { data: {}, error: { code, message, log_id: '1' } });
const FAILED: Failed = { status: 400, name: 'invalid_params', text: 'strange' };
/** Samples of the rows that look at the text. */
const SAID = ['Access token is incorrect', 'The 48h window is closed', 'The video was not found'].map((text) => ({
  ...FAILED,
  name: '40002',
  text,
}));

/** The rows of the table, each met by what shows it: of a creator who may not post, the operation says just that. */
function probesOf(answer: (failed: Failed) => Instead): readonly Probe[] {
  const samples = [{ ...FAILED, status: 500 }, { ...FAILED, name: '40999' }, ...SAID, ...samplesOf(table.rows, FAILED)];
  const creator: Probe['ask'] = ({ rest, account }) => rest(`GET /v1/accounts/${account}/creator-info`);
  const post: Probe['ask'] = async ({ account, ...door }, text) => {
    const input = { text, account_ids: [account], publish_now: true, ...(await kinds.photos.input(door)) };
    const { status, body } = await door.rest('POST /v1/posts', input);
    return { status, headers: new Headers(), body: { error: body.results[0].error } };
  };
  const { rows } = probeOf(table, { samples, answer, ask: creator });
  const isPosting = ({ reason }: ProbeRow) => reason === 'publish_limit' || reason === 'blocked';
  return [
    { rows: rows.filter((row) => !isPosting(row) && row.reason !== 'not_deliverable'), ask: creator },
    { rows: rows.filter(isPosting), ask: post },
  ];
}

const INBOX = eventsOf('comment', 'dm', 'mention');
const NEVER = ['post.unpublished', ...eventsOf('page', 'review')] as const;

const developers: Subject = {
  platform: tiktok,
  name: 'tiktok',
  // Posts have their id at once, so that a post can be published within a request.
  prepare: (door) => act(door, 'settings', { processing_ms: '0', moderation_ms: '0' }),
  connect: connectBy('tiktok'),
  refresh: { method: 'POST /v2/oauth/token/', dueMs: 96 * 60_000, isSingleUse: true },
  people: {},
  posts: { ...kinds, photos: { ...kinds.photos, unfindable: true } },
  sends: {},
  events: {},
  without: [...NEVER, ...INBOX],
  refusal: developerError(FAILED),
  unlisted: developerError({ ...FAILED, name: 'unheard_of' }),
  probes: probesOf(developerError),
  deauthorize: async (scene) => {
    await act(scene, 'remove_app', { creator: scene.person });
    await scene.rest(`GET /v1/accounts/${scene.account}/creator-info`);
  },
};

const businessError = ({ status, name, text: message }: Failed): Instead => {
  const code = /^\d+$/.test(name) ? Number(name) : name;
  return jsonAnswer(status === 400 ? 200 : status, { code, message, request_id: '1', data: {} });
};
const BUSINESS_FAILED: Failed = { ...FAILED, name: '40002' };

const commented = async (door: Door, text: string) => (await commentsOf(door, text)).now;

/** What Fred does with the account of a scene. */
const talk = (scene: Pick<Scene, keyof Door | 'person'>, name: string, input: object = {}) =>
  act(scene, name, { person: FRED, account: scene.person, ...input });

/** The same by the API for Business, which fetches videos too, and whose first comments are looked for. */
const businessKinds: Subject['posts'] = {
  video: {
    ...kinds.video,
    input: async (door, text) => ({ ...(await kinds.video.input(door)), first_comment: `Below ${text}` }),
    seen: async (door, text) => [
      ...(await seen(door, text)),
      { ...(await commentsOf(door, `Below ${text}`)), optional: true },
    ],
    unfindable: true,
  },
  photos: { ...kinds.photos, unfindable: true },
};

const pictured = { attachments: [expect.objectContaining({ type: 'image' })] };
const unsupported = (type: string) => ({ metadata: expect.objectContaining({ unsupported: { type } }) });

/** A message meets what no creator info does: that TikTok does not deliver. */
function businessProbes(): readonly Probe[] {
  const probes = probesOf(businessError);
  const samples = [...SAID, ...samplesOf(table.rows, FAILED)];
  const { rows } = probeOf(table, { samples, answer: businessError, ask: say });
  return [...probes, { rows: rows.filter(({ reason }) => reason === 'not_deliverable'), ask: say }];
}

const business: Subject = {
  ...developers,
  name: 'tiktok:business',
  connect: connectBy('business'),
  refresh: { method: 'POST /open_api/v1.3/tt_user/oauth2/refresh_token/', dueMs: 19.2 * 3_600_000, isSingleUse: true },
  people: {
    comment: (scene, text) => act(scene, 'comment', { person: FRED, post: scene.platformPost, text }),
    message: (scene, text) => talk(scene, 'write', { text }),
  },
  posts: businessKinds,
  sends: {
    message: messageCase(
      async (door, text) => (await list(door, 'messages', ({ isOwn, body }) => isOwn && body.body === text)).length,
    ),
    'reply to a comment': replyCase(commented),
    comment: commentCase(commented),
  },
  inbound: {
    text: { becomes: 'message', send: (scene) => talk(scene, 'write', { text: 'Hello' }) },
    share_post: { becomes: 'message', send: (scene) => talk(scene, 'write', { post: scene.platformPost }) },
    video: {
      becomes: 'message',
      send: async (scene) => talk(scene, 'write', { url: await addressOf(scene, await video(scene)) }),
      shows: { attachments: [expect.objectContaining({ type: 'video' })] },
    },
    sticker: {
      becomes: 'message',
      send: (scene) => talk(scene, 'write', { sticker: 'on' }),
      shows: pictured,
    },
    emoji: {
      becomes: 'message',
      send: (scene) => talk(scene, 'write', { type: 'emoji' }),
      shows: pictured,
    },
    other: {
      becomes: 'message',
      send: (scene) => talk(scene, 'write', { type: 'other' }),
      shows: unsupported('other'),
    },
    'comment.update': {
      becomes: 'comment',
      send: (scene) => act(scene, 'comment', { person: FRED, post: scene.platformPost, text: 'Rye?' }),
    },
  },
  events: {
    'dm.referral': (scene) => talk(scene, 'refer'),
    'dm.status.read': (scene) => talk(scene, 'read'),
    'mention.received': (scene) => talk(scene, 'mention', { text: 'I was there' }),
  },
  without: [...NEVER, 'dm.postback', 'dm.status.delivered'],
  refusal: businessError(BUSINESS_FAILED),
  unlisted: businessError({ ...FAILED, name: '40999' }),
  probes: businessProbes(),
};

/** By TikTok for Developers, and by the API for Business. */
export const tiktokSubjects: readonly Subject[] = [developers, business];
