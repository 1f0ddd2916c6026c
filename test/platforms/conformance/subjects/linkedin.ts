import { table } from '#platforms/linkedin/errors.ts';
import { linkedin } from '#platforms/linkedin/index.ts';
import type { Failed } from '#platforms/shared/errors.ts';
import { pdf, png } from '#test/harness/media-samples.ts';
import type { Instead } from '#test/harness/platforms/gate.ts';
import type { Json } from '#test/harness/world.ts';
import { comment, commentCase, replyCase } from '../answers.ts';
import { connectOwner } from '../consent.ts';
import { countsOf, FRED, twinOf } from '../twin.ts';
import { jsonAnswer, probeOf, samplesOf } from '../errors.ts';
import { picture, video, wideVideo } from '../files.ts';
import { eventsOf, type Door, type PostCase, type Subject } from '../subject.ts';

/** LinkedIn takes no smaller video. */
const LEAST_VIDEO = 75_000;

const { act, list } = twinOf('linkedin');

/** Our id of the page by which the member of an account posts. */
async function memberPage({ rest }: Pick<Door, 'rest'>, account: string): Promise<string> {
  const { data } = (await rest(`GET /v1/accounts/${account}/pages`)).body;
  return (data as readonly Json[]).find(({ category }) => category === 'member')!.id;
}

const seen: PostCase['seen'] = async (door, text) => [
  countsOf(await list(door, 'posts', ({ body }) => body.commentary === text)),
];
const commentsOf = async (door: Door, text: string) =>
  countsOf(await list(door, 'comments', (one) => one.text === text));

const image = (door: Door, n: number) => picture(door, png(40, 30, n));
const largeVideo = Buffer.concat([wideVideo(5000), Buffer.alloc(LEAST_VIDEO)]);
/** One whose answer is lost is found in the list of the organization; that it is not there proves nothing, so one that never arrived fails. */
const kind = (input: PostCase['input'], within?: string): PostCase => ({
  input,
  seen,
  unfindable: true,
  ...(within && { within }),
});
const option = (linkedin: object) => ({ platform_data: { linkedin } });

const posts: Subject['posts'] = {
  text: kind(() => ({}), 'first comment'),
  images: kind(async (door) => ({ media_ids: [await image(door, 1), await image(door, 2)] })),
  video: kind(async (door) => ({ media_ids: [await video(door, largeVideo)] })),
  document: kind(async (door) => ({ title: 'Menu', media_ids: [await door.upload('a.pdf', 'application/pdf', pdf)] })),
  article: kind(
    () => option({ article: { source: 'https://bakery.example/rye', title: 'Rye', description: 'Fresh' } }),
    'first comment',
  ),
  poll: kind(() => option({ poll: { question: 'Rye or wheat?', options: ['Rye', 'Wheat'] } }), 'first comment'),
  'first comment': {
    ...kind((_door, text) => ({ first_comment: `Below ${text}` })),
    seen: async (door, text) => [
      ...(await seen(door, text)),
      { ...(await commentsOf(door, `Below ${text}`)), optional: true },
    ],
  },
  // LinkedIn lists the posts of organizations only.
  'post of the member': kind(async (door) => {
    const { data } = (await door.rest('GET /v1/accounts')).body;
    const { id } = (data as readonly Json[]).find(({ platform }) => platform === 'linkedin')!;
    return { account_ids: [], targets: [{ account_id: id, page_id: await memberPage(door, id) }] };
  }),
};

const sent = async (door: Door, text: string) => (await commentsOf(door, text)).now;

const linkedinError = ({ status, name, text }: Failed): Instead =>
  jsonAnswer(status, { status, code: name, message: text, serviceErrorCode: 100 });
const FAILED: Failed = { status: 400, name: 'ILLEGAL_ARGUMENT', text: 'No.' };

export const linkedinSubject: Subject = {
  platform: linkedin,
  // Files are ready at once, so that a post can be published within a request.
  prepare: (stage) => act(stage, 'settings', { processing_ms: '0' }),
  connect: connectOwner('linkedin', '/oauth/v2/authorization'),
  refresh: { method: 'POST /oauth/v2/accessToken', dueMs: 48 * 86_400_000 },
  people: {
    comment: (scene, text) => act(scene, 'comment', { person: FRED, post: scene.platformPost, text }),
  },
  posts,
  sends: {
    'comment on a post': commentCase(sent),
    'reply to a comment': replyCase(sent),
  },
  events: {
    'mention.received': (scene) =>
      act(scene, 'mention', { person: FRED, organization: scene.page, text: 'I was there' }),
    'page.removed': (scene) => act(scene, 'set_role', { person: scene.person, organization: scene.page }),
  },
  inbound: {
    COMMENT: {
      becomes: 'comment',
      send: (scene) => act(scene, 'comment', { person: FRED, post: scene.platformPost, text: 'Rye?' }),
    },
    COMMENT_EDIT: {
      becomes: 'edit',
      send: async (scene) =>
        act(scene, 'edit_comment', {
          comment: (await list(scene, 'comments', () => true)).at(-1)!.id,
          text: 'Rye or wheat?',
        }),
    },
    COMMENT_DELETE: {
      becomes: 'removal',
      send: async (scene) =>
        act(scene, 'delete_comment', { comment: (await list(scene, 'comments', () => true)).at(-1)!.id }),
    },
    IMAGE: {
      becomes: 'comment',
      send: (scene) => act(scene, 'comment', { person: FRED, post: scene.platformPost, picture: 'on' }),
      shows: { text: 'Sent something that cannot be shown here (image)' },
    },
    SHARE_MENTION: {
      becomes: 'mention',
      send: (scene) => act(scene, 'mention', { person: FRED, organization: scene.page, text: 'I was there' }),
    },
  },
  without: eventsOf('dm', 'review'),
  refusal: linkedinError(FAILED),
  unlisted: linkedinError({ ...FAILED, status: 428 }),
  probes: [
    probeOf(table, {
      samples: [
        { ...FAILED, status: 500 },
        { ...FAILED, status: 429, text: 'Resource level throttle APPLICATION DAY limit is reached.' },
        { ...FAILED, status: 422, text: 'Content is a duplicate of urn:li:share:1' },
        ...samplesOf(table.rows, FAILED),
      ],
      answer: linkedinError,
      ask: comment,
    }),
  ],
  async deauthorize(scene) {
    await act(scene, 'remove_app', { person: scene.person });
    // LinkedIn tells nobody: it is noticed when something is asked of it.
    await comment(scene, 'Still there?');
  },
};
