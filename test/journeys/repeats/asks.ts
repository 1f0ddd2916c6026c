import { aComment, aReview } from '../../harness/platforms/social.ts';
import type { World, Json } from '../../harness/world.ts';
import { png } from '../../harness/media-samples.ts';
import type { profileOf, Script } from '../../harness/worlds/consent.ts';
import { dashboardToken } from '../../harness/calls/dashboard.ts';
import { call } from '../../harness/calls/operations.ts';
import { NUMBER } from '../../tools/whatsapp/stage.ts';
import { put } from '../../tools/media/samples.ts';
import { DRAFT, INPUTS } from '../../tools/whatsapp/inputs.ts';
import { postOf, setFault } from '../../harness/worlds/post-stage.ts';
import { askStripe } from '../../harness/worlds/twins/stripe.ts';
import type { Stage } from '../../harness/worlds/social.ts';

type Input = Readonly<Record<string, unknown>>;

export type Scene = Stage &
  Readonly<{
    /** An account on a simulator that publishes, and one on a played platform that has everything else. */
    publisher: Json;
    social: { id: string };
    conversation: string;
    /** What the consent page of youtube ends with. */
    consent: Script;
    profileOf: typeof profileOf;
    dashboard: string;
    endpoint: string;
  }>;

/** What is asked of an operation, once all that it needs is there. */
export type Ask = Readonly<{ input: Input; dashboard?: true }>;

const comment = { post_id: 'post-1', comment_id: 'c1' };

async function draft({ world, publisher }: Scene, text: string): Promise<string> {
  return (await postOf({ ...world, account: publisher }, { text })).id;
}

async function publishNow({ world, publisher }: Scene, text: string): Promise<string> {
  return (await postOf({ ...world, account: publisher }, { text, publish_now: true })).id;
}

async function delivery({ world, endpoint }: Scene): Promise<string> {
  await world.settle();
  const { body } = await world.rest(`GET /v1/webhooks/${endpoint}/deliveries`);
  return body.data[0].id;
}

const bluesky = (world: World, person: number) => {
  const { handle, credentials } = world.product.sandbox!.people()[person]!;
  return { platform: 'bluesky', metadata: { identifier: handle, app_password: credentials['app_password'] } };
};

/** A sound input of an operation of numbers and templates. */
const ofNumber = (name: string) => [() => ({ input: INPUTS[name]!(NUMBER) })];

const CSV = ['text', ...Array.from({ length: 150 }, (_, row) => `Imported ${row}`)].join('\n');

/** By operation; where one has several ways, each of them. */
export const ASKS: Readonly<Record<string, readonly ((scene: Scene) => Promise<Ask> | Ask)[]>> = {
  // First, because it changes the plan that others answer.
  create_portal_session: [
    async ({ world }) => {
      const { body } = await world.rest('POST /v1/billing/checkout', { tier: 'business' });
      await askStripe(world, 'POST', 'pay', { checkout: body.session_id, card: 'works' });
      return { input: {} };
    },
  ],
  provision_user: [() => ({ input: {}, dashboard: true })],
  reply_to_mention: [({ social }) => ({ input: { account_id: social.id, media_id: 'm1', text: 'Thanks' } })],
  mark_conversation_read: [({ conversation }) => ({ input: { conversation_id: conversation } })],
  send_dm: [({ conversation }) => ({ input: { conversation_id: conversation, text: 'Hello' } })],
  unpublish_post: [async (scene) => ({ input: { post_id: await publishNow(scene, 'To be taken down') } })],
  import_posts: [() => ({ input: { csv: CSV } })],
  retry_post: [
    async (scene) => {
      setFault(scene.world, 'revoked');
      const post_id = await publishNow(scene, 'To be retried');
      await scene.world.connect();
      return { input: { post_id } };
    },
  ],
  create_post: [
    ({ publisher }) => ({ input: { text: 'Now', account_ids: [publisher.id], publish_now: true } }),
    ({ publisher }) => ({ input: { text: 'A draft', account_ids: [publisher.id] } }),
    ({ publisher }) => ({
      input: { text: 'Later', account_ids: [publisher.id], scheduled_at: '2099-01-01T00:00:00Z' },
    }),
  ],
  publish_post: [async (scene) => ({ input: { post_id: await draft(scene, 'To be published') } })],
  reschedule_posts: [
    async (scene) => {
      const post_id = await draft(scene, 'To be moved');
      return { input: { posts: [{ post_id, scheduled_at: '2026-12-31T10:00:00Z' }] } };
    },
  ],
  validate_post: [({ publisher }) => ({ input: { text: 'Fine', account_ids: [publisher.id] } })],
  reply_to_review: [
    async ({ net, connect }) => {
      net.reviews.set('ours', [aReview(Date.UTC(2026, 0, 14), { platform_id: 'r1' })]);
      const { id: account_id } = await connect('google');
      return { input: { review_id: 'r1', account_id, text: 'Thanks' } };
    },
  ],
  add_location_media: [
    async ({ connect }) => {
      const { id: account_id } = await connect('google', 'place');
      return { input: { account_id, media: [{ type: 'image', source: 'https://bakery.example/oven.jpg' }] } };
    },
  ],
  upload_media: [() => ({ input: { base64: Buffer.from(png(3, 2)).toString('base64'), filename: 'a.png' } })],
  verify_media_upload: [
    async ({ world }) => {
      const { body } = await call(world, 'get_media_upload_url', { media_type: 'image/png', filename: 'b.png' });
      await put(body.upload_url, png(4, 2));
      return { input: { media_id: body.media_id } };
    },
  ],
  start_migration: [
    () => ({
      input: { provider: 'zernio', api_key: 'sk_of_a_customer', authorisation_version: '2026-11-23' },
      dashboard: true,
    }),
  ],
  create_redirect_uri: [() => ({ input: { uri: 'https://app.example.org/done' }, dashboard: true })],
  create_saved_reply: [() => ({ input: { name: 'Opening hours', text: 'We open at 8.' }, dashboard: true })],
  create_brand: [() => ({ input: { name: 'Bakery' } })],
  create_checkout: [() => ({ input: { tier: 'pro' } })],
  create_export: [({ publisher }) => ({ input: { account_id: publisher.id } })],
  create_invite: [
    async ({ world }) => {
      const { body } = await call(world, 'create_brand', { name: 'Guests' });
      return { input: { brand_id: body.id, platform: 'bluesky', expires_in_days: 7 } };
    },
  ],
  like_comment: [() => ({ input: comment })],
  hide_comment: [() => ({ input: comment })],
  reply_to_comment: [() => ({ input: { ...comment, text: 'Thanks' } })],
  private_reply_to_comment: [() => ({ input: { ...comment, text: 'Hello' } })],
  replay_webhook: [({ endpoint }) => ({ input: { webhook_id: endpoint, since: '2026-01-01T00:00:00Z' } })],
  create_webhook: [() => ({ input: { url: 'https://example.org/hook', events: ['post.published'] } })],
  retry_webhook_delivery: [
    async (scene) => ({ input: { webhook_id: scene.endpoint, delivery_id: await delivery(scene) } }),
  ],
  invite_person: [() => ({ input: { email: 'bea@example.org', role: 'editor' }, dashboard: true })],
  create_key: [() => ({ input: { name: 'laptop' } })],
  rotate_key: [
    async ({ world }) => {
      const { body } = await world.rest('POST /v1/keys', { name: 'old' });
      return { input: { key_id: body.id } };
    },
  ],
  connect_account: [({ world }) => ({ input: bluesky(world, 1) }), () => ({ input: { platform: 'youtube' } })],
  exchange_oauth: [
    ({ consent, profileOf: one }) => {
      consent.profiles = [one('1')];
      return { input: { platform: 'youtube', code: 'abc' } };
    },
    ({ consent, profileOf: one }) => {
      consent.profiles = [one('2'), one('3')];
      return { input: { platform: 'youtube', code: 'def' } };
    },
  ],
  select_pending_profile: [
    async ({ world, consent, profileOf: one }) => {
      consent.profiles = [one('4'), one('5')];
      const { body } = await world.rest('POST /v1/oauth/exchange', { platform: 'youtube', code: 'ghi' });
      return { input: { connection_id: body.connection_id, platform_account_id: '4' } };
    },
  ],
  request_whatsapp_code: ofNumber('request_whatsapp_code'),
  verify_whatsapp_code: ofNumber('verify_whatsapp_code'),
  register_whatsapp_number: ofNumber('register_whatsapp_number'),
  deregister_whatsapp_number: ofNumber('deregister_whatsapp_number'),
  create_whatsapp_template: ofNumber('create_whatsapp_template'),
  send_whatsapp_template: ofNumber('send_whatsapp_template'),
  validate_whatsapp_template: [() => ({ input: DRAFT })],
  sync_account: [async ({ world }) => ({ input: { account_id: (await world.connect(2)).id } })],
};

/** Something to answer for every operation. */
export async function prepare(stage: Stage, consent: Script, one: typeof profileOf): Promise<Scene> {
  const { world, net } = stage;
  const { id: endpoint } = await world.receive(['account.connected']);
  const publisher = await world.connect();
  const social = await stage.connect('twitter');
  await stage.connect('whatsapp', NUMBER);
  const said = aComment('post-1', { platform_id: 'c1' });
  net.comments.set('post-1', [said]);
  await stage.tell(social, [{ kind: 'comment', comment: said }]);
  const conversation = await stage.converse(social);
  await world.settle();
  return {
    ...stage,
    publisher,
    social,
    conversation,
    consent,
    profileOf: one,
    endpoint,
    dashboard: await dashboardToken(world),
  };
}
