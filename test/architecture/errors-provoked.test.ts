import { HOUR } from '#kernel/clock.ts';
import { expect, it } from 'vitest';
import { ERRORS, type ErrorCode } from '#kernel/errors.ts';
import { mp4, png } from '../harness/media-samples.ts';
import { facebookOf } from '../harness/platforms/facebook.ts';
import { checkStep } from '../harness/calls/next-step.ts';
import { store } from '../harness/calls/rest.ts';
import { makeWorld, type Answer, type World } from '../harness/world.ts';

/** Codes of posts and media, those that only stand in the results of a post among them. */
type Provoked = Extract<ErrorCode, `post.${string}` | `media.${string}` | `publishing.${string}`>;

const SAM = 'sam.sandbox.test';
/** Answers of the platform: one that trying again does not mend, and one that says nothing. */
const REFUSED = { method: 'POST page/feed', when: 'before', status: 403, code: 200 };
const SILENT = { when: 'before', status: 500, code: 1, times: 20 };

async function setUp(world: World) {
  const facebook = facebookOf(world);
  const account = await facebook.connect(SAM);
  const post = (extra: object): Promise<Answer> =>
    world.rest('POST /v1/posts', { text: 'News', account_ids: [account.id], ...extra });
  const publish = (extra: object = {}) => post({ publish_now: true, ...extra });
  const upload = async (name: string, bytes: Uint8Array<ArrayBuffer>): Promise<string> =>
    (await store(world, name, '', bytes)).media_id;
  /** A post that is due in an hour, and the hour. */
  const later = async (meanwhile: () => Promise<unknown>, late = 0): Promise<Answer> => {
    const { id } = (await post({ scheduled_at: new Date(world.clock.now() + HOUR).toISOString() })).body;
    await world.settle();
    await meanwhile();
    await world.pass(HOUR + late);
    return world.rest(`GET /v1/posts/${id}`);
  };
  /** What a post has come to once nobody has any patience left. */
  const ending = async ({ body }: Answer): Promise<Answer> => {
    for (let n = 0; n < 60; n += 1) await world.pass(30_000);
    return world.rest(`GET /v1/posts/${body.id}`);
  };
  return { world, facebook, account, post, publish, upload, later, ending };
}

type Scene = Awaited<ReturnType<typeof setUp>>;

/** What really causes each error. */
const CAUSES: Readonly<Record<Provoked, (scene: Scene) => Promise<Answer>>> = {
  'post.not_found': ({ world }) => world.rest('GET /v1/posts/post_none'),
  'post.state_invalid': async ({ world, publish }) => world.rest(`POST /v1/posts/${(await publish()).body.id}/publish`),
  'post.no_retryable_deliveries': async ({ world, post }) =>
    world.rest(`POST /v1/posts/${(await post({})).body.id}/retry`),
  'post.publish_failed': async ({ facebook, publish }) => {
    await facebook.act('order', REFUSED);
    return publish();
  },
  'publishing.delivery.account_load_failed': ({ world, account, later }) =>
    later(() => world.rest(`DELETE /v1/accounts/${account.id}`)),
  'publishing.delivery.page_resolve_failed': ({ world, account, later }) =>
    later(async () => {
      const [page] = (await world.rest(`GET /v1/accounts/${account.id}/pages`)).body.data;
      await world.rest(`PATCH /v1/accounts/${account.id}/pages/${page.id}`, { is_active: false });
    }),
  'publishing.delivery.timeout': async ({ facebook, publish, ending }) => {
    await facebook.act('order', { ...SILENT, method: 'POST post' });
    return ending(await publish());
  },
  'publishing.delivery.all_failed': async ({ world, facebook, account, post, ending }) => {
    const other = await world.connect();
    const { network, handle } = world.product.sandbox!.people()[0]!;
    world.product.sandbox!.setFault({ network, person: handle, kind: 'revoked' });
    await facebook.act('order', REFUSED);
    return ending(await post({ account_ids: [account.id, other.id], publish_now: true }));
  },
  'publishing.delivery.too_late': ({ later }) => later(async () => {}, 6 * HOUR + 1),
  'publishing.delivery.taken_over': async ({ world, post }) => {
    const { id } = (await post({ scheduled_at: new Date(world.clock.now() + HOUR).toISOString() })).body;
    world.clock.move(HOUR);
    await world.product.posts.giveUpDue();
    return world.rest(`GET /v1/posts/${id}`);
  },
  'publishing.delivery.not_supported': ({ world, later }) =>
    later(() =>
      // Nothing makes an account one of another platform: this stands for a connector that publishes no more.
      world.product.store.write(async ({ db }) => {
        await db.updateTable('accounts').set({ platform: 'whatsapp' }).execute();
        await db.updateTable('targets').set({ platform: 'whatsapp' }).execute();
      }),
    ),
  'publishing.delivery.interrupted': async ({ facebook, publish, ending }) => {
    await facebook.act('order', { ...SILENT, method: 'POST page/feed' });
    return ending(await publish());
  },
  'publishing.duplicate_target': ({ account, post }) =>
    post({ account_ids: undefined, targets: [{ account_id: account.id }, { account_id: account.id }] }),
  'publishing.media.unsupported_source': ({ publish }) =>
    publish({ media: [{ source: 'abc', source_type: 'platform_attachment_id', type: 'image' }] }),
  'publishing.media.mixing_unsupported': async ({ publish, upload }) =>
    publish({ media_ids: [await upload('a.png', png()), await upload('a.mp4', mp4())] }),
  'media.not_found': ({ post }) => post({ media_ids: ['med_none'] }),
  'media.not_ready': async ({ world, post }) => {
    const asked = await world.rest('GET /v1/media/upload-url?media_type=image/png&filename=a.png');
    return post({ media_ids: [asked.body.media_id] });
  },
  'media.in_use': async ({ world, post, upload }) => {
    const id = await upload('a.png', png());
    await post({ media_ids: [id] });
    return world.rest(`DELETE /v1/media/${id}`);
  },
};

it('every error of posts and media has a cause here', () => {
  const codes = Object.keys(ERRORS).filter((code) => /^(?:post|media|publishing)\./.test(code));
  expect(Object.keys(CAUSES).toSorted()).toEqual(codes.toSorted());
});

it.each(Object.entries(CAUSES))('%s is answered, or told of a target, when its cause happens', async (code, cause) => {
  const world = await makeWorld();
  const receiver = await world.receive(['post.failed', 'post.partial']);
  const { status, body } = await cause(await setUp(world));
  await world.settle();
  const [expected] = ERRORS[code as Provoked];
  if (expected !== 0) {
    expect([status, body.error?.code]).toEqual([expected, code]);
    checkStep(body.error.message);
  } else if (code === 'publishing.delivery.all_failed') {
    expect(receiver.received.map(({ body: told }) => told.data['error_code'])).toEqual([code]);
  } else {
    expect([body.status, body.results[0].error_code]).toEqual(['failed', code]);
    checkStep(body.results[0].error.message);
  }
});
