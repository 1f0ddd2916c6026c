/** n8n's own nodes for X, LinkedIn, YouTube and Facebook, unchanged, drive the twins. */
import { expect, it, onTestFinished } from 'vitest';
import { png } from '../../harness/media-samples.ts';
import * as facebook from '../../harness/worlds/twins/facebook.ts';
import * as linkedin from '../../harness/worlds/twins/linkedin.ts';
import * as x from '../../harness/worlds/twins/twitter.ts';
import * as youtube from '../../harness/worlds/twins/youtube.ts';
import { describeNodes, loadNode, runNode } from './nodes.ts';

const picture = { bytes: Buffer.from(png()), fileName: 'cup.png', mimeType: 'image/png' };
const closing = <W extends { close(): Promise<void> }>(world: W): W => {
  onTestFinished(() => world.close());
  return world;
};

describeNodes("n8n's own nodes", () => {
  it('X: reads the account, posts, answers, finds, likes and deletes a post, and writes a message', async () => {
    const world = closing(await x.openXWorld());
    const node = loadNode('Twitter/V2/TwitterV2.node.js', 'TwitterV2', {});
    const how = { token: await world.login(), at: { 'https://api.x.com': `${world.at}/api` } };
    const run = (resource: string, operation: string, values: object = {}) =>
      runNode(node, { resource, operation, additionalFields: {}, ...values }, how);
    const [me] = await run('user', 'searchUser', { me: true });
    expect(me).toMatchObject({ id: await world.id(x.OLIVIA), username: 'olivia' });
    const [post] = await run('tweet', 'create', { text: 'Open until six' });
    const above = { mode: 'id', value: post.id };
    const [answer] = await run('tweet', 'create', { text: 'Seven', additionalFields: { inReplyToStatusId: above } });
    const found = await run('tweet', 'search', { searchText: 'from:olivia', limit: 10, returnAll: false });
    expect(found.map(({ id }) => id)).toEqual([answer.id, post.id]);
    // Likes are of the largest plan alone.
    await expect(run('tweet', 'like', { tweetId: above })).rejects.toMatchObject({ httpCode: '403' });
    await world.act('settings', { enterprise: true });
    expect(await run('tweet', 'like', { tweetId: above })).toEqual([{ liked: true }]);
    expect(await run('tweet', 'delete', { tweetDeleteId: { mode: 'id', value: answer.id } })).toEqual([
      { deleted: true },
    ]);
    await world.act('dm', { person: x.FRED, account: x.OLIVIA, text: 'Hello' });
    const [message] = await run('directMessage', 'create', { user: { mode: 'username', value: 'fred' }, text: 'Hi' });
    expect(message).toMatchObject({ dm_event_id: expect.any(String) });
  });

  it('LinkedIn: posts words, a picture and an article', async () => {
    const world = closing(await linkedin.openLinkedinWorld());
    // The node waits for no picture.
    await world.act('settings', { processing_ms: 0 });
    const node = loadNode('LinkedIn/LinkedIn.node.js', 'LinkedIn');
    const how = { token: await world.login(), at: { 'https://api.linkedin.com': `${world.at}/api` } };
    const [, person] = /person:(.*)$/.exec(await world.person())!;
    const base = { resource: 'post', operation: 'create', authentication: 'communityManagement', postAs: 'person' };
    const run = (values: object, file?: typeof picture) =>
      runNode(node, { ...base, person, additionalFields: {}, ...values }, { ...how, ...(file && { file }) });
    const [words] = await run({ text: 'Open until six (really)', shareMediaCategory: 'NONE' });
    const [image] = await run(
      { text: 'A cup', shareMediaCategory: 'IMAGE', additionalFields: { title: 'Cup' } },
      picture,
    );
    const article = { originalUrl: 'https://bakery.example/', title: 'Bakery', description: 'Bread' };
    const [link] = await run({ text: 'Read', shareMediaCategory: 'ARTICLE', additionalFields: article });
    for (const { urn } of [words, image, link]) expect(urn).toMatch(/^urn:li:(?:share|ugcPost):/);
    const posts = await world.list('posts');
    const said = JSON.stringify(posts);
    for (const text of ['Open until six', 'A cup', 'Read']) expect(said).toContain(text);
  });

  it('YouTube: uploads, reads, changes and deletes a video', async () => {
    const world = closing(await youtube.openYoutubeWorld());
    const node = loadNode('Google/YouTube/YouTube.node.js', 'YouTube');
    const how = { token: await world.login(), at: { 'https://www.googleapis.com': `${world.at}/googleapis` } };
    const file = { bytes: Buffer.alloc(64 * 1024, 7), fileName: 'a.mp4', mimeType: 'video/mp4' };
    const run = (operation: string, values: object) =>
      runNode(node, { resource: 'video', operation, options: {}, ...values }, { ...how, file });
    const options = { privacyStatus: 'private', description: 'Rye', tags: 'rye,sour', recordingDate: '2026-11-01' };
    const [{ uploadId: videoId }] = await run('upload', { title: 'A loaf', categoryId: '26', options });
    const shown = { part: ['snippet', 'status', 'recordingDetails'], videoId };
    expect(await run('get', shown)).toMatchObject([
      { snippet: { title: 'A loaf', description: 'Rye', tags: ['rye', 'sour'] }, status: { privacyStatus: 'private' } },
    ]);
    await run('update', {
      videoId,
      title: 'Two loaves',
      categoryId: '26',
      updateFields: { privacyStatus: 'unlisted' },
    });
    expect(await run('get', shown)).toMatchObject([
      { snippet: { title: 'Two loaves' }, status: { privacyStatus: 'unlisted' } },
    ]);
    await run('delete', { videoId });
    expect(await run('get', shown)).toEqual([]);
  });

  it('Facebook: reads and posts by the Graph API, words and a picture', async () => {
    const world = closing(await facebook.openFacebookWorld());
    const node = loadNode('Facebook/FacebookGraphApi.node.js', 'FacebookGraphApi');
    const at = { 'https://graph.facebook.com': `${world.at}/graph` };
    const call = (token: string, method: string, path: string, query: Record<string, string>, more: object = {}) => {
      const parameter = Object.entries(query).map(([name, value]) => ({ name, value }));
      const [name, edge = ''] = path.split('/');
      const values = {
        httpRequestMethod: method,
        hostUrl: 'graph.facebook.com',
        graphApiVersion: 'v25.0',
        node: name,
        edge,
      };
      const options = { queryParameters: { parameter } };
      return runNode(node, { ...values, authType: 'accessToken', options, ...more }, { token, at, file: picture });
    };
    const [{ data }] = await call(await world.login(), 'GET', 'me/accounts', { fields: 'id,name,access_token' });
    const [{ id: page, access_token: token }] = data;
    const [{ id }] = await call(token, 'POST', `${page}/feed`, { message: 'Open until six' });
    expect(await call(token, 'GET', id, { fields: 'message' })).toMatchObject([{ id, message: 'Open until six' }]);
    const file = { sendBinaryData: true, binaryPropertyName: 'source:data' };
    const [photo] = await call(token, 'POST', `${page}/photos`, { caption: 'A cup' }, file);
    expect(photo).toMatchObject({ id: expect.any(String), post_id: expect.stringContaining(page) });
    expect(await call(token, 'DELETE', id, {})).toMatchObject([{ success: true }]);
  });
});
