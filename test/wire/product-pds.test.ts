/** The main job on the real network's own server: nothing of ours stands in for the platform here. */
import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { receiverCertificates, startReceiver, type Received } from '../harness/webhooks/receiver.ts';
import { describePds, marksOf, startPds, type Pds, type Person } from './bluesky-pds/harness.ts';
import { makeFolder } from '../harness/folders.ts';
import { call, startProduct } from './clients/product.ts';
import { PNG } from './clients/sandbox.ts';

const EVENTS = ['account.connected', 'post.published', 'post.partial', 'post.failed'];

describePds('the main job against a real PDS', () => {
  let pds: Pds;

  beforeAll(async () => {
    pds = await startPds();
  });
  afterAll(() => pds?.close());

  /** A server without sandbox, a key of its owner, and a receiver that hears its events. */
  async function start() {
    const folder = makeFolder();
    const ca = join(folder, 'ca.pem');
    writeFileSync(ca, receiverCertificates.ca);
    const server = await startProduct(join(folder, 'data'), {
      SANDBOX: 'off',
      ALLOW_PRIVATE_NETWORK: '127.0.0.0/8,::1/128',
      WEBHOOK_CA_FILE: ca,
      BLUESKY_PLC: pds.plc,
    });
    const { key } = server.firstRun();
    const rest = (route: string, body?: unknown) => call(server, key, route, body);
    const receiver = await startReceiver();
    onTestFinished(receiver.close);
    const { secret } = await rest('POST /v1/webhooks', { url: receiver.url, events: EVENTS });
    const connect = ({ handle, appPassword }: Person, brand_id?: string) =>
      rest('POST /v1/accounts/connect', {
        platform: 'bluesky',
        ...(brand_id && { brand_id }),
        metadata: { identifier: handle, app_password: appPassword, service: pds.url },
      });
    return { server, rest, receiver, secret: secret as string, connect };
  }

  it('connects, publishes a thread with picture and facets, reports it, and takes it down', async () => {
    const { server, rest, receiver, secret, connect } = await start();
    const alice = await pds.createAccount('alice.test');
    const bob = await pds.createAccount('bob.test');
    const { account_id, username } = await connect(alice);
    expect(username).toBe('alice.test');
    const [account] = (await rest('GET /v1/accounts')).data;
    expect(account).toMatchObject({ id: account_id, platform: 'bluesky', status: 'active' });
    expect(account.metadata).not.toHaveProperty('sandbox');

    const { media_id, upload_url } = await rest('GET /v1/media/upload-url?media_type=image/png&filename=dot.png');
    const sent = await fetch(upload_url, { method: 'PUT', headers: { 'Content-Type': 'image/png' }, body: PNG });
    expect(sent.status).toBe(200);
    await rest(`POST /v1/media/${media_id}/verify`);

    const text = 'Grüße an @bob.test: https://example.com/ä #Föhn';
    const post = await rest('POST /v1/posts', {
      text,
      media_ids: [media_id],
      segments: [{ text: 'and a second part' }],
      account_ids: [account_id],
      publish_now: true,
    });
    expect(post).toMatchObject({ status: 'published', results: [{ status: 'published', account_id, error: null }] });

    const listed = await pds.listPosts(alice.did);
    expect(listed.map(({ value }) => value['text'])).toEqual([text, 'and a second part']);
    const [first, second] = listed as [(typeof listed)[0], (typeof listed)[0]];
    expect(post.results[0].platform_post_id).toBe(first.uri);
    expect(first.value).toMatchObject({ embed: { images: [{ image: { mimeType: 'image/png', size: PNG.length } }] } });
    expect(second.value).toMatchObject({
      reply: { root: { uri: first.uri, cid: first.cid }, parent: { uri: first.uri, cid: first.cid } },
    });
    expect(marksOf(first)).toEqual([
      ['@bob.test', { $type: 'app.bsky.richtext.facet#mention', did: bob.did }],
      ['https://example.com/ä', { $type: 'app.bsky.richtext.facet#link', uri: 'https://example.com/ä' }],
      ['#Föhn', { $type: 'app.bsky.richtext.facet#tag', tag: 'Föhn' }],
    ]);

    const heard = await until(receiver.received, 'post.published');
    expect(heard.body.data).toMatchObject({ post_id: post.id, status: 'published' });
    expectSigned(heard, secret);
    expect(receiver.received.map(({ body }) => body.event)).toEqual(['account.connected', 'post.published']);

    // There is no AppView behind this server, so nobody counts likes: said with a code, and nothing is broken by it.
    const metrics = await fetchError(() => rest(`GET /v1/posts/${post.id}/metrics`));
    expect(metrics).toMatch(/answered 502 .*"code":"platform\.bluesky\.api_error"/);
    expect(await rest(`GET /v1/posts/${post.id}`)).toMatchObject({ status: 'published' });

    const taken = await rest(`POST /v1/posts/${post.id}/unpublish`);
    expect(taken).toMatchObject({ success: true, results: [{ account_id, outcome: 'deleted' }] });
    expect(await pds.listPosts(alice.did)).toEqual([]);
    expect(await server.stop()).toMatchObject({ code: 0, stderr: '' });
  });

  it('deletes the records with the post, those of nobody else, and publishes the same again', async () => {
    const { rest, connect } = await start();
    const dora = await pds.createAccount('dora.test');
    const emil = await pds.createAccount('emil.test');
    const { account_id } = await connect(dora);
    const other = (await connect(emil)).account_id as string;
    const ask = { text: 'said by both', account_ids: [account_id, other], publish_now: true };
    const post = await rest('POST /v1/posts', ask);
    expect(post).toMatchObject({ status: 'published', results: [{ status: 'published' }, { status: 'published' }] });
    const texts = async (person: Person) => (await pds.listPosts(person.did)).map(({ value }) => value['text']);
    expect([await texts(dora), await texts(emil)]).toEqual([['said by both'], ['said by both']]);

    const taken = await rest(`POST /v1/posts/${post.id}/unpublish`, { account_id: other });
    expect(taken.results).toMatchObject([{ account_id: other, outcome: 'deleted' }]);
    expect([await texts(dora), await texts(emil)]).toEqual([['said by both'], []]);
    const deleted = await rest(`DELETE /v1/posts/${post.id}`);
    expect(deleted).toMatchObject({ success: true });
    expect([await texts(dora), await texts(emil)]).toEqual([[], []]);
    expect(await fetchError(() => rest(`GET /v1/posts/${post.id}`))).toContain('post.not_found');

    const again = await rest('POST /v1/posts', { ...ask, skip_duplicate_check: true });
    expect(again.results[0].platform_post_id).not.toBe(post.results[0].platform_post_id);
    expect([await texts(dora), await texts(emil)]).toEqual([['said by both'], ['said by both']]);
    await rest(`DELETE /v1/posts/${again.id}`);
  });

  it('answers, likes and hides comments, and deletes its own', async () => {
    const { rest, connect } = await start();
    const [fred, gina] = [await pds.createAccount('fred.test'), await pds.createAccount('gina.test')];
    const { account_id } = await connect(fred);
    const post = await rest('POST /v1/posts', { text: 'a post', account_ids: [account_id], publish_now: true });
    const uri = post.results[0].platform_post_id as string;
    const lastOf = async (person: Person) => (await pds.listPosts(person.did)).at(-1)!;

    const route = `/v1/inbox/comments/${encodeURIComponent(uri)}`;
    await pds.reply(gina, await lastOf(fred), 'a comment');
    const comment = await lastOf(gina);

    const asked = { account_id, comment_id: comment.uri, text: 'an answer to @gina.test' };
    expect(await rest(`POST ${route}`, asked)).toMatchObject({
      success: true,
      comment_id: expect.stringMatching(/^cmt_/),
    });
    const answer = await lastOf(fred);
    expect(answer.value).toMatchObject({ text: asked.text, reply: { root: { uri }, parent: { uri: comment.uri } } });

    const at = (comment: string) => `${route}/${encodeURIComponent(comment)}`;
    for (const act of ['like', 'hide', 'hide']) await rest(`POST ${at(comment.uri)}/${act}`, { account_id });
    const foreign = await fetchError(() => rest(`DELETE ${at(comment.uri)}?account_id=${account_id}`));
    expect(foreign).toContain('platform.bluesky.permission_denied');
    await rest(`DELETE ${at(answer.uri)}?account_id=${account_id}`);
    expect(await lastOf(fred)).toMatchObject({ uri });
    // What is listed comes from the AppView, and there is none.
    const listed = await fetchError(() => rest(`GET ${route}?account_id=${account_id}`));
    expect(listed).toContain('platform.bluesky.api_error');
    expect((await rest('GET /v1/accounts')).data).toMatchObject([{ status: 'active' }]);
  });

  it('says what is wrong with a login, and keeps an account that is connected again', async () => {
    const { rest, connect, receiver } = await start();
    const carol = await pds.createAccount('carol.test');
    const wrong = await fetchError(() => connect({ ...carol, appPassword: 'not it' }));
    expect(wrong).toMatch(/answered 401 .*"code":"platform\.bluesky\.auth"/);
    expect((await rest('GET /v1/accounts')).count).toBe(0);

    const { account_id, brand_id } = await connect(carol);
    await pds.revokeAppPassword(carol);
    // The token of the session lives on for a while; the next login is what fails.
    expect(await fetchError(() => connect(carol))).toContain('platform.bluesky.auth');
    const fresh = { ...carol, appPassword: carol.password };
    expect(await connect(fresh, brand_id)).toMatchObject({ account_id });
    expect((await rest('GET /v1/accounts')).data).toMatchObject([{ id: account_id, status: 'active' }]);
    const post = await rest('POST /v1/posts', { text: 'still me', account_ids: [account_id], publish_now: true });
    expect(post.status).toBe('published');
    expect((await pds.listPosts(carol.did)).map(({ value }) => value['text'])).toEqual(['still me']);
    await until(receiver.received, 'post.published');
  });
});

/** The first request with the event, as soon as it is there. */
async function until(received: readonly Received[], event: string): Promise<Received> {
  const found = () => received.find(({ body }) => body.event === event);
  await expect.poll(found, { timeout: 30_000, interval: 20 }).toBeDefined();
  return found()!;
}

/** Checks both signatures as a receiver in another language would, from the contract alone. */
function expectSigned({ headers, raw }: Received, secret: string): void {
  const hmac = (text: string) => `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`;
  for (const prefix of ['x-service', 'x-socialapi']) {
    const timestamp = String(headers[`${prefix}-timestamp`]);
    expect(timestamp).toMatch(/^\d{10}$/);
    expect(headers[`${prefix}-signature-v2`]).toBe(hmac(`${timestamp}.${raw}`));
    expect(headers[`${prefix}-signature`]).toBe(hmac(raw));
    expect(headers[`${prefix}-event`]).toBe('post.published');
  }
}

async function fetchError(act: () => Promise<unknown>): Promise<string> {
  return act().then(
    () => 'no error at all',
    (error: Error) => error.message,
  );
}
