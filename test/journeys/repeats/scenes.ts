import { facebookOf } from '../../harness/platforms/facebook.ts';
import { makeWorld, type World, type Json } from '../../harness/world.ts';

type Call = Parameters<World['rest']>[0];

/** What is said once, by which it is known on the platform. */
export const TEXT = 'Said once';

/** Something a client asks for, and how often people see it. */
type Deed = Readonly<{
  call: Call;
  body: object;
  /** The call of the platform that brings it about, and the one that looks whether it is there. */
  method: string;
  look?: string;
  seen(): Promise<number>;
}>;
export type Name = 'send_dm' | 'reply_to_comment' | 'create_post';
export type Scene = Readonly<{
  world: World;
  deeds: Readonly<Record<Name, Deed>>;
  fault(kind: string, method: string, more?: object): Promise<void>;
  /** Keeps the platform from telling us of its own accord what we have sent. */
  mute(): Promise<unknown>;
}>;

async function control(world: World, path: string, body?: object): Promise<Json> {
  const { status, body: answer } = await world.rest(`${body ? 'POST' : 'GET'} /sandbox/__control/${path}`, body);
  if (status !== 200) throw new Error(JSON.stringify(answer));
  return answer.data;
}

const faultOf = (world: World, network: string, person: string): Scene['fault'] =>
  async function fault(kind, method, more = {}) {
    await control(world, 'faults', { network, person, kind, method, ...more });
  };

const count = (rows: readonly Json[], isOurs: (row: Json) => boolean) => rows.filter(isOurs).length;

async function ask(world: World, account_id: string, comment: (on: string) => Promise<string>) {
  const publishing = { text: 'Good morning', account_ids: [account_id], publish_now: true };
  const { body: post } = await world.rest('POST /v1/posts', publishing);
  const comment_id = await comment(post.targets[0].platform_post_id as string);
  // Platforms that do not push are asked once a minute at most.
  for (let minutes = 0; minutes < 3; minutes += 1) await world.pass(60_000);
  const [conversation] = (await world.rest('GET /v1/inbox/conversations')).body.data;
  return {
    send_dm: { call: `POST /v1/inbox/conversations/${conversation.id}/messages` as Call, body: { text: TEXT } },
    reply_to_comment: { call: `POST /v1/inbox/comments/${post.id}` as Call, body: { text: TEXT, comment_id } },
    create_post: { call: 'POST /v1/posts' as Call, body: { ...publishing, text: TEXT } },
  };
}

async function onFacebook(): Promise<Scene> {
  const world = await makeWorld();
  const { act, look, connect } = facebookOf(world);
  const [owner, follower] = ['sam.sandbox.test', 'fred.sandbox.test'] as const;
  const { id } = await connect(owner);
  await act('message', { person: follower, page: 'Single Origin Studio', text: 'Hello' });
  const asks = await ask(
    world,
    id,
    async (on) => (await act('comment', { person: follower, on, message: 'Hello' })).id,
  );
  const seen = (kind: string, field: string) => async () =>
    count(await look(kind), (row) => row[field] === TEXT && row.deleted_at === undefined);
  return {
    world,
    fault: faultOf(world, 'facebook', owner),
    mute: () => act('settings', { push_paused: true }),
    deeds: {
      send_dm: {
        ...asks.send_dm,
        method: 'POST page/messages',
        look: 'GET page/conversations',
        seen: seen('messages', 'text'),
      },
      reply_to_comment: {
        ...asks.reply_to_comment,
        method: 'POST comment/comments',
        look: 'GET comment/comments',
        seen: seen('comments', 'message'),
      },
      create_post: { ...asks.create_post, method: 'POST page/feed', seen: seen('posts', 'message') },
    },
  };
}

async function onBluesky(): Promise<Scene> {
  const world = await makeWorld();
  const { id } = await world.connect(0);
  const [alice, bob] = world.product.sandbox!.people().map(({ handle }) => handle);
  const play = (action: string, input: object) => control(world, `bluesky/${action}`, { person: bob, ...input });
  await play('message', { whom: alice, text: 'Hello' });
  const asks = await ask(world, id, async (post) => (await play('reply', { post, text: 'Hello' })).uri);
  const posts = () => world.product.sandbox!.posts('bluesky', alice!);
  const writes = {
    method: 'com.atproto.repo.putRecord',
    seen: async () => count(posts(), ({ text }) => text === TEXT),
  };
  return {
    world,
    fault: faultOf(world, 'bluesky', alice!),
    mute: async () => {},
    deeds: {
      send_dm: {
        ...asks.send_dm,
        method: 'chat.bsky.convo.sendMessage',
        look: 'chat.bsky.convo.getMessages',
        seen: async () => count(await control(world, 'bluesky/messages'), ({ text }) => text === TEXT),
      },
      reply_to_comment: { ...asks.reply_to_comment, ...writes },
      create_post: { ...asks.create_post, ...writes },
    },
  };
}

/** Somebody wrote a comment and a message; each network tells how often an answer is seen. */
export const SCENES = Object.freeze({ facebook: onFacebook, bluesky: onBluesky });
