/** The simulator of X, driven by X's own client as it is: posts, files, messages, webhooks and what it refuses. */
import { createHmac } from 'node:crypto';
import { ApiError, Client } from '@xdevplatform/xdk';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { mp4, png } from '../../harness/media-samples.ts';
import { FRED, OLIVIA, openXWorld, type XWorld } from '../../harness/worlds/twins/twitter.ts';
import type { Json } from '../../harness/world.ts';

let world: XWorld;
let person: Client;
let app: Client;
let me: string;
let fred: string;
beforeAll(async () => {
  world = await openXWorld();
  const baseUrl = `${world.at}/api`;
  person = new Client({ baseUrl, accessToken: await world.login(), retry: false });
  app = new Client({ baseUrl, bearerToken: await world.bearer(), retry: false });
  [me, fred] = [await world.id(OLIVIA), await world.id(FRED)];
});
afterAll(() => world.close());

const posted = async (body: object): Promise<string> => ((await person.posts.create(body)) as Json).data.id;
const refusal = (call: Promise<unknown>) =>
  call.then(
    () => expect.unreachable(),
    (error: ApiError) => [error instanceof ApiError, error.status, error.data.title],
  );

it('reads people, and publishes, finds and removes posts', async () => {
  const { data } = (await person.users.getMe({ userFields: ['created_at', 'public_metrics'] })) as Json;
  expect(data).toMatchObject({ id: me, username: 'olivia', publicMetrics: { tweetCount: 0 } });
  const first = await posted({ text: 'Open until six' });
  const comment = await world.act('reply', { person: FRED, post: first, text: 'See you' });
  const answer = await posted({ text: 'Bring a friend', reply: { inReplyToTweetId: comment } });
  const found = (await person.posts.getByIds([first, comment, answer], {
    postFields: ['conversation_id', 'public_metrics'],
    expansions: ['author_id'],
  })) as Json;
  expect(found.data.map(({ conversationId }: Json) => conversationId)).toEqual([first, first, first]);
  expect(found.includes.users.map(({ username }: Json) => username)).toEqual(['olivia', 'fred']);
  const below = (await app.posts.searchRecent(`conversation_id:${first} is:reply`, { maxResults: 10 })) as Json;
  expect(below.data.map(({ id }: Json) => id)).toEqual([answer, comment]);
  expect(((await person.users.getMentions(me)) as Json).data[0].id).toBe(comment);
  expect(((await person.users.getPosts(me, { maxResults: 5 })) as Json).meta).toMatchObject({ resultCount: 2 });
  expect((await person.posts.hideReply(comment, { hidden: true })) as Json).toEqual({ data: { hidden: true } });
  expect((await person.posts.delete(answer)) as Json).toEqual({ data: { deleted: true } });
});

it('uploads files in segments, and attaches them', async () => {
  const film = Buffer.from(mp4({}));
  const mediaType = 'video/mp4' as const;
  const begun = { mediaType, totalBytes: film.length, mediaCategory: 'tweet_video' as const };
  const made = (await person.media.initializeUpload(begun)) as Json;
  await person.media.appendUpload(made.data.id, { media: film.toString('base64'), segmentIndex: 0 });
  const whole = (await person.media.finalizeUpload(made.data.id)) as Json;
  expect(whole.data.processingInfo).toMatchObject({ state: 'pending', checkAfterSecs: 1 });
  world.clock.move(3000);
  const { data } = (await person.media.getUploadStatus(made.data.id, { command: 'STATUS' })) as Json;
  expect(data.processingInfo.state).toBe('succeeded');
  const picture = { media: png().toString('base64'), mediaCategory: 'tweet_image' as const };
  const shot = (await person.media.upload(picture)) as Json;
  await person.media.createMetadata({ id: shot.data.id, metadata: { altText: { text: 'A cup' } } });
  const post = await posted({ text: 'A cup', media: { mediaIds: [shot.data.id] } });
  const shown = (await person.posts.getById(post, {
    expansions: ['attachments.media_keys'],
    mediaFields: ['alt_text', 'url'],
  })) as Json;
  expect(shown.includes.media[0]).toMatchObject({ altText: 'A cup' });
});

it('writes and reads direct messages', async () => {
  await world.act('dm', { person: FRED, account: OLIVIA, text: 'Hello' });
  const sent = (await person.directMessages.createByParticipantId(fred, { text: 'Hello to you' })) as Json;
  const list = (await person.directMessages.getEventsByParticipantId(fred, {
    dmEventFields: ['dm_conversation_id'],
    expansions: ['sender_id'],
  })) as Json;
  expect(list.data.map(({ senderId }: Json) => senderId)).toEqual([me, fred]);
  expect(list.data[0].dmConversationId).toBe(sent.data.dmConversationId);
});

it('registers a webhook, and subscribes to what accounts do', async () => {
  const hook = ((await app.webhooks.create({ url: `${world.app.url}/push/twitter` })) as Json).data;
  expect(hook.valid).toBe(true);
  const asked = { eventType: 'dm.received' as const, filter: { userId: me }, webhookId: hook.id };
  const { data } = (await person.activity.createSubscription(asked)) as Json;
  await world.act('dm', { person: FRED, account: OLIVIA, text: 'Are you there?' });
  const [push] = world.app.pushes();
  const mac = createHmac('sha256', (await world.own()).consumer_secret).update(push!.body);
  expect(push!.headers['x-twitter-webhooks-signature']).toBe(`sha256=${mac.digest('base64')}`);
  expect(((await app.webhooks.validate(hook.id)) as Json).data.valid).toBe(true);
  expect(((await app.activity.deleteSubscription(data.subscription.subscriptionId)) as Json).data.deleted).toBe(true);
  expect(((await app.webhooks.delete(hook.id)) as Json).data.deleted).toBe(true);
});

it('says what it refuses in a form that the client understands', async () => {
  await posted({ text: 'Once' });
  expect(await refusal(person.posts.create({ text: 'Once' }))).toEqual([true, 403, 'Forbidden']);
  expect(await refusal(person.users.likePost(me, { tweetId: '1' }))).toEqual([true, 403, 'Client Forbidden']);
  expect(await refusal(person.users.getPosts('1'))).toEqual([true, 404, 'Not Found Error']);
  const nobody = new Client({ baseUrl: `${world.at}/api`, accessToken: 'wrong', retry: false });
  expect(await refusal(nobody.users.getMe())).toEqual([true, 401, 'Unauthorized']);
});
