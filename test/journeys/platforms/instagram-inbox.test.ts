import { SECOND, DAY } from '#kernel/clock.ts';
import { describe, expect, it } from 'vitest';
import { mp4, pdf, png, wav } from '../../harness/media-samples.ts';
import { COFFEE, FRED, instagramOf, type Login, LOGINS } from '../../harness/platforms/people/instagram.ts';
import { list, refusalOf } from '../../harness/calls/rest.ts';
import { makeWorld, type Json } from '../../harness/world.ts';

/** An account by a login, and what is asked of it. */
async function opened(login: Login) {
  const world = await makeWorld();
  const instagram = instagramOf(world);
  const { account, page } = await instagram.connect(login);
  const follow = async (name: string, input: object) => {
    const done = await instagram.act(name, name === 'tap' ? input : { person: FRED, ...input });
    await world.settle();
    world.clock.move(SECOND);
    return done;
  };
  const stored = async (kind: string) => (await instagram.look(`instagram/${kind}`)) as readonly Json[];
  return { world, ...instagram, account, page, follow, stored, isLinked: login.nth === 1 };
}

/** A post of the account with a comment of Fred's below it. */
async function commented(login: Login) {
  const scene = await opened(login);
  const { world, photo, publish, follow } = scene;
  const post = await publish(scene.account, { text: 'Fresh rye', media_ids: [await photo()] });
  const { id: thing } = await follow('comment', { on: post.results[0].platform_post_id, text: 'Is it rye?' });
  const below = `/v1/inbox/comments/${post.id}` as const;
  const comments = () => list(world, below);
  const [{ id }] = (await comments()) as readonly [Json];
  return { ...scene, post, comments, path: `${below}/${id}` as const, comment: thing as string };
}

describe.each(LOGINS)('comments %s', (_how, login) => {
  it('are hidden and shown, answered and deleted', async () => {
    const { world, path, comments, stored, comment, post } = await commented(login);
    const onTwin = async () => (await stored('comments')).find(({ id }) => id === comment);
    expect((await world.rest(`POST ${path}/hide`)).status).toBe(200);
    expect([(await onTwin()).hidden, (await comments())[0].is_hidden]).toEqual([true, true]);
    expect((await world.rest(`DELETE ${path}/hide`)).status).toBe(200);
    expect([(await onTwin()).hidden, (await comments())[0].is_hidden]).toEqual([false, false]);
    const [{ id: comment_id }] = await comments();
    const answered = await world.rest(`POST /v1/inbox/comments/${post.id}`, { text: 'It is.', comment_id });
    expect(answered.status).toBe(200);
    expect((await world.rest(`GET ${path}/replies`)).body.data).toMatchObject([{ text: 'It is.', is_owner: true }]);
    expect((await world.rest(`DELETE ${path}`)).status).toBe(200);
    expect([(await onTwin()).deleted_at, await comments()]).toEqual([expect.any(Number), []]);
  });

  it('are liked where there is an endpoint for it', async () => {
    const { world, path, act, stored, comment, isLinked, page } = await commented(login);
    const likes = async () => (await stored('comments')).find(({ id }) => id === comment).likes as readonly string[];
    if (!isLinked) {
      const { status, body } = await world.rest(`POST ${path}/like`);
      expect([status, body.error.code, await likes()]).toEqual([501, 'resource.not_supported', []]);
      return;
    }
    for (const likes_by_user_only of [false, true]) {
      await act('settings', { likes_by_user_only });
      expect((await world.rest(`POST ${path}/like`)).status).toBe(200);
      expect(await likes()).toEqual([page]);
      expect((await world.rest(`DELETE ${path}/like`)).status).toBe(200);
      expect(await likes()).toEqual([]);
    }
  });

  it('are answered privately once, and within a week', async () => {
    const { world, path, post, follow, comments, stored } = await commented(login);
    const reply = (text: string, to = path) => world.rest(`POST ${to}/private-reply`, { text });
    expect((await reply('A loaf for you')).status).toBe(200);
    const ineligible = [400, 'platform.instagram.private_reply_ineligible'];
    expect(await refusalOf(reply('And another one'))).toEqual(ineligible);
    expect((await stored('messages')).map(({ text }) => text)).toEqual(['A loaf for you']);
    await world.settle();
    const threads = await list(world, '/v1/inbox/conversations');
    expect(threads.map(({ last_message }) => last_message)).toEqual(['A loaf for you']);

    await follow('comment', { on: post.results[0].platform_post_id, text: 'And wheat?' });
    const { id } = (await comments()).find(({ text }) => text === 'And wheat?')!;
    world.clock.move(7 * DAY);
    expect(await refusalOf(reply('Wheat too', `/v1/inbox/comments/${post.id}/${id}`))).toEqual(ineligible);
    expect(await stored('messages')).toHaveLength(1);
  });
});

/** A conversation that Fred has begun. */
async function written(login: Login) {
  const scene = await opened(login);
  const { world, follow, page } = scene;
  const { id: first } = await follow('message', { page, text: 'Are you open?' });
  const [{ id }] = (await world.rest('GET /v1/inbox/conversations')).body.data;
  const path = `/v1/inbox/conversations/${id}/messages` as const;
  const say = async (input: object) => {
    const answer = await world.rest(`POST ${path}`, input);
    await world.settle();
    world.clock.move(SECOND);
    return answer;
  };
  const sent = async () => (await scene.stored('messages')).filter(({ from_page }) => from_page);
  return { ...scene, path, say, sent, first: first as string, conversation: id as string };
}

describe.each(LOGINS)('messages %s', (_how, login) => {
  it('carry files of every kind, which Instagram fetches from our signed addresses', async () => {
    const { say, sent, upload, look } = await written(login);
    const files = [
      ['image', 'shop.png', 'image/png', png()],
      ['video', 'shop.mp4', 'video/mp4', mp4({ ms: 3000, tracks: [{ handler: 'vide', width: 720, height: 1280 }] })],
      ['audio', 'shop.wav', 'audio/wav', wav],
      ['file', 'menu.pdf', 'application/pdf', pdf],
    ] as const;
    const attachments = [];
    for (const [type, name, mime, bytes] of files) {
      const source = await upload(name, mime, bytes);
      attachments.push({ type, source, source_type: 'media_id', caption: `A ${type}` });
    }
    const { status, body } = await say({ text: 'All of it', attachments });
    expect([status, body.message_ids.length]).toEqual([200, 9]);
    expect((await sent()).map(({ text, pieces: [piece] }) => text ?? piece.type)).toEqual([
      ...files.flatMap(([type]) => [type, `A ${type}`]),
      'All of it',
    ]);
    const fetched = ((await look('requests')) as readonly Json[]).filter(({ verb }) => verb === 'fetch');
    expect(fetched.map(({ status: got }) => got)).toEqual(files.map(() => 200));
  });

  it('show buttons, cards and quick replies, and a tap is a postback', async () => {
    const { world, say, sent, follow } = await written(login);
    const hook = await world.receive(['dm.postback']);
    const postback = { type: 'postback', title: 'Menu', payload: 'MENU' };
    const link = { type: 'url', title: 'Shop', url: 'https://shop.example.org/' };
    const image_url = 'https://shop.example.org/rye.jpg';
    const cards = [{ title: 'Rye', subtitle: 'Dense', image_url, buttons: [link, { ...postback, payload: 'RYE' }] }];
    const asks = [
      { text: 'What now?', buttons: [postback, link], payload: 'MENU' },
      { cards, payload: 'RYE' },
      { text: 'Which?', quick_replies: [{ title: 'Rye', payload: 'QUICK' }, { title: 'Wheat' }], payload: 'QUICK' },
    ];
    for (const { payload, ...parts } of asks) {
      expect((await say(parts)).status).toBe(200);
      await follow('tap', { message: (await sent()).at(-1).id, payload });
    }
    expect(hook.received.map(({ body }) => (body.data as Json).metadata.payload)).toEqual(['MENU', 'RYE', 'QUICK']);
    const [buttons, generic, quick] = await sent();
    const shown = [
      { type: 'postback', title: 'Menu' },
      { type: 'web_url', url: link.url },
    ];
    expect([buttons.pieces[0].payload, generic.pieces[0].payload]).toMatchObject([
      { template_type: 'button', text: 'What now?', buttons: shown },
      { template_type: 'generic', elements: [{ title: 'Rye', image_url }] },
    ]);
    expect(quick.quick_replies.map(({ payload }: Json) => payload)).toEqual(['QUICK', 'Wheat']);
  });

  it('answer one message, and may name what was uploaded before by Facebook login alone', async () => {
    const { world, path, say, sent, first, isLinked } = await written(login);
    const [{ id }] = (await world.rest(`GET ${path}`)).body.data;
    expect((await say({ text: 'Until six.', reply_to_message_id: id })).status).toBe(200);
    expect((await sent()).at(-1)).toMatchObject({ text: 'Until six.', reply_to: first });
    const source = { source: '123', source_type: 'platform_attachment_id', type: 'image' };
    const refusal = isLinked ? [400, 'platform.instagram.invalid_request'] : [501, 'resource.not_supported'];
    expect(await refusalOf(say({ attachments: [source] }))).toEqual(refusal);
  });

  it('end with the window, which a person may keep open for a week by Instagram login', async () => {
    const { world, say, sent, isLinked } = await written(login);
    const outcome = (input: object) => refusalOf(say(input));
    const agent = { message_tag: 'HUMAN_AGENT' };
    const closed = [400, 'platform.instagram.window_closed'];
    world.clock.move(DAY);
    expect(await outcome({ text: 'Untagged' })).toEqual(closed);
    expect(await outcome({ text: 'Tagged', ...agent })).toEqual(isLinked ? closed : [200, undefined]);
    const other = await outcome({ text: 'Other', message_tag: 'ACCOUNT_UPDATE' });
    expect(other).toEqual(isLinked ? closed : [400, 'validation.invalid_message_tag']);
    world.clock.move(6 * DAY);
    expect(await outcome({ text: 'Too late', ...agent })).toEqual(closed);
    expect((await sent()).map(({ text }) => text)).toEqual(isLinked ? [] : ['Tagged']);
  });

  it('are marked as read on Instagram', async () => {
    const { world, conversation, stored } = await written(login);
    const unread = async () => (await stored('threads')).map((thread) => thread.unread);
    expect(await unread()).toEqual([1]);
    expect((await world.rest(`POST /v1/inbox/conversations/${conversation}/read`)).status).toBe(200);
    await world.settle();
    expect(await unread()).toEqual([0]);
  });
});

describe.each(LOGINS)('mentions %s', (_how, login) => {
  it('in posts and in comments are told of, and answered where there is an endpoint', async () => {
    const { world, account, page, follow, stored, isLinked } = await opened(login);
    const hook = await world.receive(['mention.received']);
    await follow('mention', { page, text: 'Best rye in town', tagged: true });
    await follow('mention', { page, text: 'Ask them', in_comment: true });
    const told = hook.received.map(({ body }) => body.data as Json);
    expect(told.map(({ content }) => content.text)).toEqual(
      isLinked ? [`@${COFFEE} Best rye in town`, `@${COFFEE} Ask them`] : ['', ''],
    );
    const path = `/v1/accounts/${account}/mentions` as const;
    for (const { id } of told) {
      const reply = world.rest(`POST ${path}/reply`, { mention_id: id, text: 'Thank you' });
      expect(await refusalOf(reply)).toEqual(isLinked ? [200, undefined] : [501, 'resource.not_supported']);
    }
    const answers = (await stored('comments')).filter(({ text }) => text === 'Thank you');
    expect(answers).toHaveLength(isLinked ? 2 : 0);
    const listed = await world.rest(`GET ${path}`);
    if (isLinked)
      expect(listed.body.data.map(({ content }: Json) => content.text)).toContain(`@${COFFEE} Best rye in town`);
    else expect([listed.status, listed.body.error.code]).toEqual([501, 'resource.not_supported']);
  });
});
