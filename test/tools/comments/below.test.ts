import { describe, expect, test } from 'vitest';
import { facebookOf } from '../../harness/platforms/facebook.ts';
import { makeWorld, type World } from '../../harness/world.ts';
import { call, expectRefusal } from '../../harness/calls/operations.ts';

/** An account of a simulator, and what somebody says below a post of it; nobody tells the inbox of it. */
type Place = Readonly<{ world: World; account: string; say(on: string): Promise<string> }>;

const PLACES = {
  async facebook(): Promise<Place> {
    const world = await makeWorld();
    const facebook = facebookOf(world);
    const { id: account } = await facebook.connect('sam.sandbox.test');
    await facebook.act('settings', { push_paused: true });
    const said = { person: 'fred.sandbox.test', message: 'Hello' };
    return { world, account, say: async (on) => (await facebook.act('comment', { ...said, on })).id };
  },
  async bluesky(): Promise<Place> {
    const world = await makeWorld();
    const { id: account } = await world.connect(0);
    const person = world.product.sandbox!.people()[1]!.handle;
    const say = async (post: string) => {
      const { body } = await world.rest('POST /sandbox/__control/bluesky/reply', { person, post, text: 'Hello' });
      return body.data.uri as string;
    };
    return { world, account, say };
  },
} as const;

const ACTS = [
  'like_comment',
  'unlike_comment',
  'hide_comment',
  'unhide_comment',
  'get_comment_replies',
  'reply_to_comment',
  'private_reply_to_comment',
  'delete_comment',
] as const;

describe.each(['facebook', 'bluesky'] as const)('a comment on %s', (platform) => {
  const it = test.extend('played', () => scene());

  const acts = ACTS.filter((name) => platform === 'facebook' || name !== 'private_reply_to_comment');

  /** Two posts of ours, the first with a comment. */
  async function scene() {
    const place = await PLACES[platform]();
    const { world, account } = place;
    const publish = async (text: string) => {
      const { body } = await world.rest('POST /v1/posts', { text, account_ids: [account], publish_now: true });
      return body as { id: string; targets: readonly { platform_post_id: string }[] };
    };
    const [first, second] = [await publish('First'), await publish('Second')];
    const there = first.targets[0]!.platform_post_id;
    const comment_id = await place.say(there);
    return { ...place, first, second, there, comment_id };
  }

  describe('over the API', () => {
    it('is none of any other post, whether we know of it or not', async () => {
      const { world, account, first, second, there, comment_id, say } = await scene();
      const elsewhere = (await world.rest('POST /v1/posts', { text: 'Theirs' }, await world.stranger())).body.id;
      const beside = second.targets[0]!.platform_post_id;
      const answer = await say(comment_id);
      const wrong = [`${there}0`, beside, second.id, comment_id];
      const list = () => call(world, 'list_post_comments', { post_id: first.id });
      const posts = async () => {
        const { data } = (await call(world, 'list_inbox_posts')).body;
        return data.map(({ platform_id }: { platform_id: string }) => platform_id).toSorted();
      };
      const ours = [there, beside].toSorted();
      const refuse = async (input: Readonly<{ post_id: string; comment_id: string; account_id?: string }>) => {
        for (const name of acts) {
          const text = name.includes('reply_to') ? { text: 'Hi' } : {};
          const meta = { resource: 'comment', id: input.comment_id };
          await expectRefusal(call(world, name, { ...input, ...text }), 'resource.not_found', meta);
        }
      };
      // What cannot be an id of the platform is none of ours either.
      for (const post_id of ['nonsense', elsewhere]) {
        const refused = call(world, acts[0]!, { post_id, comment_id, account_id: account });
        await expectRefusal(refused, 'post.not_found', { resource: 'post', id: post_id });
      }
      for (const post_id of wrong) await refuse({ post_id, comment_id, account_id: account });
      expect(await posts()).toEqual(ours);
      const { body: before } = await list();
      for (const post_id of wrong) await refuse({ post_id, comment_id: before.data[0].id, account_id: account });
      // Below a comment there are answers, and no comments of a post.
      await refuse({ post_id: comment_id, comment_id: answer, account_id: account });
      await refuse({ post_id: second.id, comment_id });
      expect([await posts(), (await list()).body]).toEqual([ours, before]);
      expect((await call(world, 'get_usage')).body.interactions_used).toBe(0);
    });

    it('is found below its post before we know of it', async ({ played: { world, account, there, say } }) => {
      for (const name of acts) {
        const input = { post_id: there, comment_id: await say(there), account_id: account };
        const text = name.includes('reply_to') ? { text: 'Hi' } : {};
        const { ok, code } = await call(world, name, { ...input, ...text });
        // What others say cannot be deleted on bluesky.
        const denied = name === 'delete_comment' && platform === 'bluesky';
        expect([name, ok, code]).toEqual([name, !denied, denied ? 'platform.bluesky.permission_denied' : undefined]);
      }
    });
  });
});
