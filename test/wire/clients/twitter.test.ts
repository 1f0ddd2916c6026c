/** The most used client of X that X did not write, unchanged but for the hosts it reaches, drives the simulator. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Agent } from 'node:http';
import { png } from '../../harness/media-samples.ts';
import { FRED, OLIVIA, openXWorld, REDIRECT, SCOPE, type XWorld } from '../../harness/worlds/twins/twitter.ts';
import { describeClients, requireClient } from './installed.ts';

describeClients('twitter-api-v2', () => {
  let world: XWorld;
  let library: any;
  let client: any;
  let renewal: string;
  let me: string;
  const httpAgent = new Agent();

  // The client has no setting for its hosts: a plugin rewrites them, and an agent of http takes the place of that of https.
  const settings = () => ({
    httpAgent,
    plugins: [
      {
        onBeforeRequest({ computedParams }: any) {
          computedParams.url = new URL(computedParams.url.href.replace('https://api.x.com', `${world.at}/api`));
        },
      },
    ],
  });
  async function appClient() {
    const { id: clientId, client_secret: clientSecret } = await world.own();
    return new library.TwitterApi({ clientId, clientSecret }, settings());
  }

  beforeAll(async () => {
    library = requireClient('twitter-api-v2');
    world = await openXWorld();
    const app = await appClient();
    const { url, codeVerifier } = app.generateOAuth2AuthLink(REDIRECT, { scope: SCOPE.split(' ') });
    const code = await world.consent(url.replace('https://x.com', `${world.at}/www`), OLIVIA);
    const login = await app.loginWithOAuth2({ code, codeVerifier, redirectUri: REDIRECT });
    expect(login).toMatchObject({ expiresIn: 7200, scope: SCOPE.split(' ') });
    client = login.client;
    renewal = login.refreshToken;
    me = await world.id(OLIVIA);
  });
  afterAll(async () => {
    httpAgent.destroy();
    await world?.close();
  });

  const refusal = (call: Promise<unknown>) =>
    call.then(
      () => expect.unreachable(),
      (error) => [error instanceof library.ApiResponseError, error.code, error.data.title],
    );

  it('reads its account, and publishes, reads back, answers and deletes posts', async () => {
    const { data } = await client.v2.me({ 'user.fields': ['public_metrics'] });
    expect(data).toMatchObject({ id: me, username: 'olivia', public_metrics: { tweet_count: 0 } });
    const thread = await client.v2.tweetThread(['Open until six', 'And on Sunday']);
    const [first, second] = thread.map((one: any) => one.data.id);
    const comment = await world.act('reply', { person: FRED, post: first, text: 'See you' });
    const read = await client.v2.tweets([first, second, comment], {
      'tweet.fields': ['conversation_id'],
      expansions: ['author_id'],
    });
    expect(read.data.map((one: any) => one.conversation_id)).toEqual([first, first, first]);
    expect(new library.TwitterV2IncludesHelper(read).users.map(({ username }: any) => username)).toEqual([
      'olivia',
      'fred',
    ]);
    const timeline = await client.v2.userTimeline(me, { max_results: 5 });
    expect(timeline.tweets.map(({ id }: any) => id)).toEqual([second, first]);
    expect(await client.v2.hideReply(comment, true)).toEqual({ data: { hidden: true } });
    expect(await client.v2.deleteTweet(second)).toEqual({ data: { deleted: true } });
    const { errors } = await client.v2.singleTweet(second);
    expect(errors).toMatchObject([{ title: 'Not Found Error', resource_id: second }]);
  });

  it('uploads a picture with its description', async () => {
    const picture = await client.v2.uploadMedia(png(), { media_type: 'image/png' });
    await client.v2.createMediaMetadata(picture, { alt_text: { text: 'A cup' } });
    const { data } = await client.v2.tweet('A cup', { media: { media_ids: [picture] } });
    const shown = await client.v2.singleTweet(data.id, {
      expansions: ['attachments.media_keys'],
      'media.fields': ['alt_text', 'url'],
    });
    expect(shown.includes.media).toMatchObject([{ type: 'photo', alt_text: 'A cup' }]);
  });

  it('writes a direct message', async () => {
    await world.act('dm', { person: FRED, account: OLIVIA, text: 'Hello' });
    const fred = await world.id(FRED);
    const sent = await client.v2.sendDmToParticipant(fred, { text: 'Hello to you' });
    const talk = await client.v2.listDmEventsWithParticipant(fred, { 'dm_event.fields': ['sender_id'] });
    expect(talk.events.map((one: any) => one.sender_id)).toEqual([me, fred]);
    expect(talk.events[0].id).toBe(sent.data.dm_event_id);
  });

  it('understands refusals, renews its login and ends it', async () => {
    await client.v2.tweet('Once');
    expect(await refusal(client.v2.tweet('Once'))).toEqual([true, 403, 'Forbidden']);
    const nobody = new library.TwitterApi('wrong', settings());
    expect(await refusal(nobody.v2.me())).toEqual([true, 401, 'Unauthorized']);
    const app = await appClient();
    const renewed = await app.refreshOAuth2Token(renewal);
    expect((await renewed.client.v2.me()).data.id).toBe(me);
    await app.revokeOAuth2Token(renewed.accessToken);
    expect(await refusal(renewed.client.v2.me())).toEqual([true, 401, 'Unauthorized']);
  });
});
