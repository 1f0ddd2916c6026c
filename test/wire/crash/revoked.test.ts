import { describe, expect, it } from 'vitest';
import { connectBluesky, connectFacebook, type Json, type Processes } from '../../harness/processes.ts';
import { dieWhilePublishing, finalPost, useCrashWorld } from './world.ts';

type Network = 'bluesky' | 'facebook';
/** An account of each network, and how its person connects it (again). */
type Own = Readonly<Record<Network, Readonly<{ person: string; connect(): Promise<string> }>>>;

const onLane = useCrashWorld(async (world, seat): Promise<Own> => {
  const { id } = (await world.control('people')).find(({ network }: Json) => network === 'bluesky');
  const who = { person: 'olivia.sandbox.test', pages: 'Harbour Coffee' };
  return {
    bluesky: { person: id, connect: () => connectBluesky(world, seat, id) },
    facebook: { person: who.person, connect: () => connectFacebook(world, seat, who) },
  };
});

async function publicTexts({ control }: Processes, network: Network): Promise<readonly string[]> {
  const posts: Json[] = await control(network === 'bluesky' ? 'posts' : 'facebook/posts');
  if (network === 'bluesky') return posts.filter(({ exists }) => exists).map(({ text }) => text);
  return posts.filter(({ is_published, deleted_at }) => is_published && !deleted_at).map(({ message }) => message);
}

describe('a server that dies after its post is public and before it hears so, whose grant ends meanwhile', () => {
  it.each([
    // Of each the request that makes it public: putRecord, and is_published of the draft.
    ['bluesky', 1],
    ['facebook', 2],
  ] as const)('says of %s that it may be public, and never publishes it twice', (network, request) =>
    onLane(async (lane) => {
      const { processes, seat, own } = lane;
      const { person, connect } = own[network];
      const account = await connect();
      const text = `Once on ${network}`;
      const input = { text, account_ids: [account] };
      await dieWhilePublishing(lane, ['publish.request.answered', request], input, () =>
        processes.control('faults', { network, person, kind: 'revoked' }),
      );
      const post = await finalPost(lane);
      expect(post).toMatchObject({ status: 'failed', results: [{ error: { code: 'publishing.delivery.timeout' } }] });
      expect(post.results[0].error.message).toMatch(/^It may be public: /);
      expect(await connect()).toBe(account);
      const again = await seat.rest('POST', '/v1/posts', { ...input, publish_now: true });
      expect(again).toMatchObject({
        status: 409,
        body: { error: { code: 'resource.conflict', meta: { id: post.id } } },
      });
      expect((await seat.rest('POST', `/v1/posts/${post.id}/retry`, {})).status).toBe(200);
      expect(await finalPost(lane)).toMatchObject({ id: post.id, status: 'published' });
      expect((await publicTexts(processes, network)).filter((one) => one === text)).toHaveLength(1);
    }),
  );
});
