/** The real server of the protocol, from npm, without an AppView behind it. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bluesky } from '#platforms/bluesky/index.ts';
import type { Composed } from '#platforms/bluesky/posts/compose.ts';
import type { AccountCall } from '#platforms/call.ts';
import { makeClient, publishAll, publishing, type Client } from '../harness/worlds/bluesky.ts';
import { postOf } from '../harness/platforms/steps.ts';
import { connection, describePds, marksOf, startPds, type Pds, type Person } from './bluesky-pds/harness.ts';
import { measured } from '../harness/platforms/fake.ts';
import { opened } from '../harness/opened.ts';
import { PNG } from './clients/sandbox.ts';

/** Trailing bytes make a picture as large as it has to be. */
const picture = (size = PNG.length) =>
  opened(Buffer.concat([PNG, Buffer.alloc(size - PNG.length)]), 'image/png', { width: 1, height: 1 });
const image = (ref: string) => ({ ref, kind: 'image' }) as const;
/** How an account is refused that has to be connected again. */
const ENDED = { kind: 'refused', reason: 'auth', expired: false };

describePds('bluesky connector against a real PDS', () => {
  let pds: Pds;
  let client: Client;
  let alice: Person;
  let bob: Person;

  beforeAll(async () => {
    pds = await startPds();
    const hosts = { service: pds.url, plc: pds.plc, web: 'https://web.test' };
    client = makeClient(hosts, () => Date.now(), [pds.url, pds.plc]);
    alice = await pds.createAccount('alice.test');
    bob = await pds.createAccount('bob.test');
  });
  afterAll(async () => {
    await client?.close();
    await pds?.close();
  });

  async function connected({ handle, appPassword }: Person): Promise<AccountCall> {
    const { session } = await connection.login(client.bare, { identifier: handle, app_password: appPassword });
    return client.acting(session);
  }

  it('connects by handle, DID and named server, and says what is wrong', async () => {
    const login = (fields: Readonly<Record<string, string>>) => connection.login(client.bare, fields);
    const app_password = alice.appPassword;
    const made = await login({ identifier: ' @Alice.test\u202C', app_password });
    expect(made.profile).toMatchObject({
      platform_user_id: alice.did,
      username: 'alice.test',
      name: 'alice.test',
      profile_url: 'https://web.test/profile/alice.test',
      metadata: { direct_messages: false },
    });
    expect(made.session).toMatchObject({ did: alice.did, handle: 'alice.test' });
    expect(made.session['pds']).toBeUndefined();
    expect(made.expiresAt).toBeGreaterThan(Date.now() + 60 * 60_000);

    const named = await login({ identifier: alice.did, app_password, service: `${pds.url}/` });
    expect(named.session['pds']).toBe(pds.url);

    for (const [fields, refusal] of [
      [
        { identifier: 'alice.test', app_password: 'wrong' },
        { kind: 'refused', reason: 'auth' },
      ],
      [{ identifier: 'nobody.test', app_password }, { reason: 'auth' }],
      [{ identifier: 'no handle', app_password }, { reason: 'invalid_request' }],
    ] as const)
      await expect(login(fields)).rejects.toMatchObject(refusal);
  });

  it('writes a thread with facets, picture and first comment once, however often each step is repeated', async () => {
    const acting = await connected(alice);
    const text = 'Grüße 👨‍👩‍👧‍👦 an @bob.test und @nobody.test: https://example.com/ä?x=1, #Föhn!';
    const post = postOf({
      text,
      media: [image('one'), image('two')],
      segments: [
        { text: 'second', media: [] },
        { text: '', media: [image('three')] },
      ],
      first_comment: 'and a comment',
      options: { langs: ['de'], labels: ['nudity'], alts: ['first picture', null, 'third'] },
    });
    const before = (await pds.listPosts(alice.did)).length;
    const media = { one: picture(), two: picture(1_900_000), three: picture() };
    const { done, repeats } = await publishAll(acting, post, media, { invisible: 1, idempotent: 2 });

    expect(Object.keys(repeats)).toEqual(['blobs', 'compose', 'write.0', 'write.1', 'write.2', 'comment']);
    for (const name of ['write.0', 'write.1', 'write.2', 'comment'])
      expect(repeats[name]![0]).toEqual(repeats[name]![1]);
    const listed = (await pds.listPosts(alice.did)).slice(before);
    expect(listed).toHaveLength(4);

    const [first, second, third, comment] = listed;
    expect(first!.value).toMatchObject({
      text,
      langs: ['de'],
      labels: { values: [{ val: 'nudity' }] },
      embed: {
        images: [
          { alt: 'first picture', aspectRatio: { width: 1, height: 1 } },
          { alt: '', image: { size: 1_900_000 } },
        ],
      },
    });
    expect(marksOf(first!)).toEqual([
      ['@bob.test', { $type: 'app.bsky.richtext.facet#mention', did: bob.did }],
      ['https://example.com/ä?x=1', { $type: 'app.bsky.richtext.facet#link', uri: 'https://example.com/ä?x=1' }],
      ['#Föhn', { $type: 'app.bsky.richtext.facet#tag', tag: 'Föhn' }],
    ]);
    const ref = ({ uri, cid }: { uri: string; cid: string }) => ({ uri, cid });
    expect(second!.value['reply']).toEqual({ root: ref(first!), parent: ref(first!) });
    expect(third!.value['reply']).toEqual({ root: ref(first!), parent: ref(second!) });
    expect(comment!.value).toMatchObject({ text: 'and a comment', reply: { root: ref(first!), parent: ref(first!) } });

    const published = bluesky.posts!.publish.finish(done, client.bare.hosts);
    expect(published.platform_post_id).toBe(first!.uri);
    expect(published.permalink).toBe(`https://web.test/profile/alice.test/post/${first!.uri.split('/').at(-1)!}`);
    expect(published.metadata).toMatchObject({
      cid: first!.cid,
      uris: [first!.uri, second!.uri, third!.uri],
      first_comment_uri: comment!.uri,
    });

    const page = await bluesky.posts!.list!(acting, { limit: 25 });
    expect(page.posts.map(({ platform_post_id }) => platform_post_id)).toEqual([first!.uri]);
    expect(page.posts[0]!.media).toHaveLength(2);
    await expect(bluesky.posts!.metrics!(acting, measured([first!.uri]))).rejects.toMatchObject({ kind: 'unknown' });

    await bluesky.posts!.remove!(acting, published.platform_post_id, published.metadata!);
    await bluesky.posts!.remove!(acting, published.platform_post_id, published.metadata!);
    expect(await pds.listPosts(alice.did)).toHaveLength(before);
  });

  it('makes one commit of the same write, also when four arrive at once', async () => {
    const acting = await connected(bob);
    const post = postOf({ text: 'once' });
    const compose = await bluesky.posts!.publish.run(publishing(acting, post), 'compose');
    const call = publishing(acting, post, { compose });
    const write = () => bluesky.posts!.publish.run(call, 'write.0') as Promise<{ cid: string }>;
    const answers = await Promise.all([write(), write(), write(), write()]);
    expect(new Set(answers.map(({ cid }) => cid)).size).toBe(1);
    const revision = await pds.revision(bob.did);
    await write();
    expect(await pds.revision(bob.did)).toBe(revision);
    expect((await pds.listPosts(bob.did)).filter(({ value }) => value['text'] === 'once')).toHaveLength(1);
  });

  it('takes a record that was edited meanwhile for published, and never overwrites it', async () => {
    const acting = await connected(bob);
    const post = postOf({ text: 'as it was' });
    const compose = (await bluesky.posts!.publish.run(publishing(acting, post), 'compose')) as Composed;
    const [{ rkey, record }] = compose.posts as [Composed['posts'][0]];
    const edited = { ...compose, posts: [{ rkey, record: { ...record, text: 'as somebody edited it' } }] };
    const there = await bluesky.posts!.publish.run(publishing(acting, post, { compose: edited }), 'write.0');
    const again = await bluesky.posts!.publish.run(publishing(acting, post, { compose }), 'write.0');
    expect(again).toEqual(there);
    const texts = (await pds.listPosts(bob.did)).map(({ value }) => value['text']);
    expect(texts).toContain('as somebody edited it');
    expect(texts).not.toContain('as it was');
  });

  it('uploads again what the server has lost, and writes the same record', async () => {
    const acting = await connected(bob);
    const post = postOf({ text: 'lost', media: [image('one')] });
    const other = await connected(alice);
    // Blobs belong to an account: those uploaded by another one are not there.
    const media = { one: picture(5000) };
    const blobs = await bluesky.posts!.publish.run(publishing(other, post, {}, media), 'blobs');
    const compose = await bluesky.posts!.publish.run(publishing(acting, post, { blobs }, media), 'compose');
    const call = publishing(acting, post, { blobs, compose }, media);
    const made = (await bluesky.posts!.publish.run(call, 'write.0')) as { uri: string };
    expect((await pds.listPosts(bob.did)).map(({ uri }) => uri)).toContain(made.uri);
  });

  it('refreshes with a rotating token, survives a lost answer, and revokes', async () => {
    const { refresh, revoke } = connection;
    const acting = await connected(alice);
    const renewed = await refresh!(acting);
    const again = await refresh!(acting);
    expect(renewed.session['refreshJwt']).not.toBe(acting.session['refreshJwt']);
    expect(again.session['did']).toBe(alice.did);
    expect(renewed.expiresAt).toBeGreaterThan(Date.now());
    const fresh = client.acting(renewed.session);
    await publishAll(fresh, postOf({ text: 'with the new token' }));
    await revoke!(fresh);
    await revoke!(fresh);
    await expect(refresh!(fresh)).rejects.toMatchObject(ENDED);
  });

  it('asks for a new login when the owner has revoked the app password', async () => {
    const carol = await pds.createAccount('carol.test');
    const acting = await connected(carol);
    await pds.revokeAppPassword(carol);
    await expect(connection.refresh!(acting)).rejects.toMatchObject(ENDED);
    const broken = client.acting({ ...acting.session, accessJwt: `${String(acting.session['accessJwt'])}x` });
    await expect(publishAll(broken, postOf({ text: 'never' }))).rejects.toMatchObject(ENDED);
  });
});
