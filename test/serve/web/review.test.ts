import { expect, it } from 'vitest';
import { sessionOf } from '../../harness/calls/browser.ts';
import { leashedKey } from '../../harness/calls/leash.ts';
import { call, callThrough } from '../../harness/calls/operations.ts';
import { list, publish, store } from '../../harness/calls/rest.ts';
import { personWith } from '../../harness/calls/people.ts';
import { png } from '../../harness/media-samples.ts';
import { facebookOf } from '../../harness/platforms/facebook.ts';
import { makeWorld, type Json } from '../../harness/world.ts';
import { openStage, setUp } from '../../platforms/conformance/stage.ts';
import { instagramSubjects } from '../../platforms/conformance/subjects/instagram.ts';

it('shows all that a draft would publish, and where', async () => {
  const world = await makeWorld();
  const account = await world.connect();
  const key = await leashedKey(world, 'ask');
  const { id: media_id } = await store(world, 'bread.png', 'image/png', png());
  const draft = {
    text: 'For everybody',
    first_comment: 'And a word below',
    media_ids: [media_id],
    targets: [{ account_id: account.id, text: 'For one alone <b>' }],
  };
  const { id: post_id } = (await call(world, 'create_post', draft, { key })).body;
  const { id } = (await world.rest(`POST /v1/posts/${post_id}/publish`, {}, { key })).body;
  const browser = await sessionOf(world, world.userId);
  const page = await browser.open(`/review/${id}`);
  for (const shown of [
    'For everybody',
    'And a word below',
    'For one alone',
    `${account.name} (Bluesky)`,
    'bread.png',
    'The post now For everybody Draft',
  ])
    expect(page.words).toContain(shown);
  for (const hidden of [post_id, media_id]) expect(page.words).not.toContain(hidden);
  expect(page.text).toContain(`href="/dashboard/posts/${post_id}"`);
  expect(page.text).toMatch(/<img[^>]* alt="bread\.png"/);
  expect(page.text).not.toContain('alone <b>');
  expect(page.words).not.toContain('could not be read');
  await world.rest(`DELETE /v1/posts/${post_id}`);
  expect((await browser.open(`/review/${id}`)).words).toContain('could not be read here');
});

it('shows what it is about', async () => {
  const world = await makeWorld();
  const facebook = facebookOf(world);
  const account_id = (await facebook.connect()).id as string;
  const { id: post_id, targets } = (await publish(world, account_id, { text: 'Fresh bread.' })).body;
  const on = targets[0].platform_post_id as string;
  await facebook.act('comment', { person: 'fred.sandbox.test', on, message: 'Is it rye?' });
  await world.settle();
  const [comment] = await list(world, `/v1/inbox/comments/${post_id}?account_id=${account_id}`);
  const key = await leashedKey(world, 'ask');
  const reply = { account_id, comment_id: comment!.id, text: 'Yes' };
  const { id } = (await world.rest(`POST /v1/inbox/comments/${post_id}`, reply, { key })).body;
  const page = await (await sessionOf(world, world.userId)).open(`/review/${id}`);
  expect(page.words).toMatch(/What it is about .* Is it rye\?/);
  expect(page.words).not.toContain('could not be read');
});

it('shows the last messages in the order in which they were sent, and from whom they are', async () => {
  const world = await makeWorld();
  const facebook = facebookOf(world);
  const account_id = (await facebook.connect()).id as string;
  const [{ platform_page_id: page }] = (await list(world, `/v1/accounts/${account_id}/pages`)) as [Json];
  await facebook.act('message', { person: 'mia.sandbox.test', page, text: 'Are you open?' });
  await world.settle();
  const [conversation] = await list(world, '/v1/inbox/conversations');
  const conversation_id = conversation!.id as string;
  world.clock.move(1000);
  await callThrough(world, 'rest', 'send_dm', { conversation_id, text: 'We are.' });
  const key = await leashedKey(world, 'ask');
  const { id } = (await callThrough(world, 'rest', 'send_dm', { conversation_id, text: 'From nine.' }, { key })).body;
  const { words } = await (await sessionOf(world, world.userId)).open(`/review/${id}`);
  expect(words).toMatch(/The last messages From them, .* Are you open\? From you, .* We are\./);
});

it('shows the post that a comment is below, also one that was published elsewhere', async () => {
  const [instagram] = instagramSubjects;
  const { world, hear, control, account: account_id } = await setUp(await openStage(instagram!), instagram!);
  const [{ id: page }] = (await control('instagram/accounts')) as [Json];
  const { id: on } = await control('instagram/own_post', { page, text: 'Baked by hand' });
  const link = 'https://www.instagram.com/p/1/';
  await control('instagram/comment', { person: 'fred.sandbox.test', on, text: 'Is it rye?' });
  await hear();
  const posts = await list(world, `/v1/inbox/comments?account_id=${account_id}`);
  const { id: post_id } = posts.find(({ platform_id }) => platform_id === on)!;
  const [comment] = await list(world, `/v1/inbox/comments/${post_id}?account_id=${account_id}`);
  const key = await leashedKey(world, 'ask');
  const browser = await sessionOf(world, world.userId);
  for (const input of [{ text: 'Yes', comment_id: comment!.id }, { text: 'Rye from today' }]) {
    const { id } = (await world.rest(`POST /v1/inbox/comments/${post_id}`, { account_id, ...input }, { key })).body;
    // Who comments names the post alone; its text comes with the next look at the platform.
    const store = (content: string, permalink: string | null) =>
      world.product.store.write(({ db }) =>
        db.updateTable('inbox_posts').set({ content, permalink }).where('id', '=', post_id).execute(),
      );
    await store('', null);
    expect((await browser.open(`/review/${id}`)).words).toContain('Its text is not known here.');
    await store('', link);
    const photo = await browser.open(`/review/${id}`);
    expect(photo.words).toContain('It has no text.');
    expect(photo.text).toContain(`href="${link}"`);
    expect(photo.words).not.toContain('not known');
    await store('Baked by hand', link);
    const page = await browser.open(`/review/${id}`);
    for (const shown of ['The post with this comment', 'Baked by hand', 'See the post on the platform'])
      expect(page.words).toContain(shown);
    expect(page.text).toContain(`href="${link}"`);
    expect(page.words).not.toMatch(/could not be read|not known/);
  }
});

it('says in words when and in which state, and looks nothing up once it is decided', async () => {
  const world = await makeWorld();
  const account = await world.connect();
  const key = await leashedKey(world, 'ask');
  const scheduled_at = '2030-01-05T09:00:00Z';
  const draft = { text: 'Bread', targets: [{ account_id: account.id }] };
  const { id: post_id } = (await call(world, 'create_post', draft, { key })).body;
  const { id } = (await world.rest('POST /v1/posts/reschedule', { posts: [{ post_id, scheduled_at }] }, { key })).body;
  const browser = await sessionOf(world, world.userId);
  // Stored posts are not shown in the list, so nothing is decided about them there.
  const queue = await browser.open('/review');
  expect([queue.words.includes('Waiting for you'), queue.text.includes('name="action"')]).toEqual([true, false]);
  const page = await browser.open(`/review/${id}`);
  for (const shown of ['Waiting for you', 'post 1 time', '5 Jan 2030, 09:00 (UTC)', 'The post now', 'goes to', 'Bread'])
    expect(page.words).toContain(shown);
  for (const hidden of ['As soon as', scheduled_at, 'scheduled_at', 'has left'])
    expect(page.words).not.toContain(hidden);
  await browser.submit(page, { decision: 'approve' }, `/review/${id}`);
  await world.settle();
  await world.rest(`DELETE /v1/posts/${post_id}`);
  const after = await browser.open(`/review/${id}`);
  expect(after.words).toContain('State Done');
  expect(after.words).not.toMatch(/could not be read|The post now/);
});

it('says that an approved action is being done, then leads to the post that it made', async () => {
  const world = await makeWorld();
  const { id: account_id } = await world.connect();
  const key = await leashedKey(world, 'ask');
  const post = { text: 'Bread', account_ids: [account_id], publish_now: true };
  const { id } = (await world.rest('POST /v1/posts', post, { key })).body;
  const browser = await sessionOf(world, world.userId);
  const path = `/review/${id}`;
  const approved = await browser.follow(await browser.submit(await browser.open(path), { decision: 'approve' }, path));
  expect(approved.words).toContain('It is being done. See how it went');
  expect(approved.text).toContain(`href="${path}"`);
  await world.settle();
  const done = await browser.open(path);
  const [made] = await list(world, '/v1/posts');
  expect(done.words).toContain('See the post and how it went');
  expect(done.text).toContain(`href="/dashboard/posts/${made!.id}"`);
  expect(done.words).not.toContain('being done');
});

it('says why an approved action failed', async () => {
  const world = await makeWorld();
  const { id: account_id } = await world.connect();
  const key = await leashedKey(world, 'ask');
  const post = { text: 'Bread', account_ids: [account_id], publish_now: true };
  const { id } = (await world.rest('POST /v1/posts', post, { key })).body;
  const browser = await sessionOf(world, world.userId);
  await browser.submit(await browser.open(`/review/${id}`), { decision: 'approve' }, `/review/${id}`);
  await world.rest(`DELETE /v1/accounts/${account_id}`);
  await world.settle();
  expect((await browser.open(`/review/${id}`)).words).toMatch(/State Failed, by Owner Why not \w+/);
});

it('decides on the others if one of several is refused, and names that one', async () => {
  const world = await makeWorld();
  const { id: account_id } = await world.connect();
  const key = await leashedKey(world, 'ask');
  const ask = async (text: string): Promise<string> => {
    const post = { text, account_ids: [account_id], publish_now: true };
    return (await world.rest('POST /v1/posts', post, { key })).body.id;
  };
  const [first, second, third] = [await ask('First'), await ask('Second'), await ask('Third')];
  const browser = await sessionOf(world, world.userId);
  const queue = await browser.open('/review');
  expect(queue.words).toContain('Choose Publish a post: Second');
  const tickOf = (id: string) => new RegExp(`name="action" value="(${id} [^"]*)"`).exec(queue.text)![1]!;
  const withdrawn = await browser.open(`/review/${second}`);
  await browser.submit(withdrawn, { decision: 'deny' }, `/review/${second}`);
  const action = [tickOf(first), tickOf(second), tickOf(third)];
  const refused = await browser.submit(queue, { action, decision: 'deny' }, '/review/several');
  expect([refused.status, refused.words]).toEqual([409, expect.stringMatching(/Error: Review .* Publish a post: /)]);
  for (const id of [first, third])
    expect((await world.rest(`GET /v1/actions/${id}`, undefined, { key })).body.state).toBe('denied');

  const [fourth, fifth] = [await ask('Fourth'), await ask('Fifth')];
  const fresh = await browser.open('/review');
  const ticks = [...fresh.text.matchAll(/name="action" value="([^"]*)"/g)].map(([, value]) => value!);
  expect(ticks).toHaveLength(2);
  const kept = await browser.submit(fresh, { action: ticks, decision: 'later' }, '/review/several');
  expect([kept.status, [...kept.text.matchAll(/name="action" value="[^"]*" checked/g)].length]).toEqual([400, 2]);
  expect([fourth, fifth].every((id) => kept.text.includes(id))).toBe(true);
});

it('is for people who decide, and names what asks though it is not theirs', async () => {
  const world = await makeWorld();
  const account = await world.connect();
  const key = await leashedKey(world, 'ask');
  const post = { text: 'Hello', account_ids: [account.id], publish_now: true };
  const { id } = (await callThrough(world, 'rest', 'create_post', post, { key })).body;
  const { browser: editor } = await personWith(world, 'editor');
  const page = await editor.open(`/review/${id}`);
  expect(page.words).toContain('Asked by limited What');
  expect((await editor.open('/review')).words).toContain('Publish a post limited');
  const { browser: viewer } = await personWith(world, 'viewer', 'Vic');
  for (const path of ['/review', `/review/${id}`]) {
    const { status, words } = await viewer.open(path);
    expect([path, status, words.includes('ask an administrator'), words.includes('Hello')]).toEqual([
      path,
      403,
      true,
      false,
    ]);
  }
  const done = await editor.submit(page, { decision: 'deny' });
  expect([done.status, (await world.rest(`GET /v1/actions/${id}`, undefined, { key })).body.state]).toEqual([
    302,
    'denied',
  ]);
});
