/** Meta's own SDK, unchanged but for the host it reaches, drives the simulator of Facebook: posts, photos, comments. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { png } from '../../harness/media-samples.ts';
import { FRED, openFacebookWorld, type FacebookWorld } from '../../harness/worlds/twins/facebook.ts';
import { describeClients, requireClient } from './installed.ts';

describeClients('facebook-nodejs-business-sdk', () => {
  let world: FacebookWorld;
  let sdk: any;
  let user: string;
  let page: any;

  const apiOf = (token: string) => new sdk.FacebookAdsApi(token, 'en_US', false);

  beforeAll(async () => {
    sdk = requireClient('facebook-nodejs-business-sdk');
    world = await openFacebookWorld();
    Object.defineProperty(sdk.FacebookAdsApi, 'GRAPH', { value: `${world.at}/graph` });
    user = await world.login();
    const [found] = await new sdk.User('me', {}, undefined, apiOf(user)).getAccounts(['name', 'access_token']);
    page = new sdk.Page(found.id, {}, undefined, apiOf(found.access_token));
  });
  afterAll(() => world?.close());

  const refusal = (call: Promise<unknown>) =>
    call.then(
      () => expect.unreachable(),
      (error) => [error.name, error.status, error.response.code],
    );
  const ids = (list: any[]) => list.map(({ id }) => id);
  const postOf = (id: string) => new sdk.PagePost(id, {}, undefined, page.getApi());

  it('reads its Page, and publishes, reads back, changes and deletes a post', async () => {
    expect(await page.read(['name', 'followers_count'])).toMatchObject({ name: 'Harbour Coffee' });
    const { id } = await page.createFeed([], { message: 'Open until six' });
    const post = postOf(id);
    expect(await post.read(['message', 'permalink_url'])).toMatchObject({
      message: 'Open until six',
      permalink_url: expect.stringMatching(/^http/),
    });
    await post.update([], { message: 'Open until seven' });
    expect(await post.read(['message'])).toMatchObject({ message: 'Open until seven' });
    expect(ids(await page.getPublishedPosts(['message']))).toContain(id);
    await post.delete();
    expect(ids(await page.getPublishedPosts(['message']))).not.toContain(id);
    expect(await refusal(postOf(id).read(['message']))).toEqual(['FacebookRequestError', 400, 100]);
  });

  it('posts pictures, one alone and two together', async () => {
    // The SDK leaves files out of what it sends, so that pictures are named by an address.
    const [first, second, third] = [1, 2, 3].map((filler) => world.app.put(`${filler}.png`, png(30, 20, filler)));
    const alone = await page.createPhoto([], { url: first, caption: 'A cup' });
    expect(alone).toMatchObject({ id: expect.any(String), post_id: expect.stringContaining(page.id) });
    const unpublished = [];
    for (const url of [second, third]) unpublished.push(await page.createPhoto([], { url, published: false }));
    const attached_media = unpublished.map(({ id }) => ({ media_fbid: id }));
    const { id } = await page.createFeed([], { message: 'Two cups', attached_media });
    const { attachments } = await postOf(id).read(['attachments']);
    expect(attachments.data[0].subattachments.data).toHaveLength(2);
  });

  it('reads comments page by page, answers, hides, likes and deletes them', async () => {
    const { id } = await page.createFeed([], { message: 'What would you like?' });
    for (const message of ['Tea', 'Coffee', 'Cake']) await world.act('comment', { person: FRED, on: id, message });
    const comments = await postOf(id).getComments(['message', 'from'], { limit: 2, order: 'chronological' });
    expect(comments.map(({ message }: any) => message)).toEqual(['Tea', 'Coffee']);
    expect(comments.hasNext()).toBe(true);
    expect((await comments.next()).map(({ message }: any) => message)).toEqual(['Cake']);
    const [tea] = comments;
    const comment = new sdk.Comment(tea.id, {}, undefined, page.getApi());
    const answer = await comment.createComment([], { message: 'It is hot' });
    expect((await comment.getComments(['message'])).map(({ message }: any) => message)).toEqual(['It is hot']);
    await comment.createLike([]);
    await comment.update([], { is_hidden: true });
    expect(await comment.read(['is_hidden', 'like_count'])).toMatchObject({ is_hidden: true, like_count: 1 });
    await new sdk.Comment(answer.id, {}, undefined, page.getApi()).delete();
    expect(await comment.getComments(['message'])).toHaveLength(0);
  });

  it('understands refusals', async () => {
    const foreign = new sdk.Page(page.id, {}, undefined, apiOf('wrong'));
    expect(await refusal(foreign.read(['name']))).toEqual(['FacebookRequestError', 400, 190]);
    expect(await refusal(page.createFeed([], {}))).toEqual(['FacebookRequestError', 400, 100]);
    expect(await refusal(page.read(['no_such_field']))).toEqual(['FacebookRequestError', 400, 100]);
  });
});
