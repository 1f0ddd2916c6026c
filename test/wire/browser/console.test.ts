import { MINUTE } from '#kernel/clock.ts';
import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, describe, expect } from 'vitest';
import { askRest, askTool } from '../../harness/calls/requests.ts';
import { makeFolder, replaceFile } from '../../harness/folders.ts';
import { receiverCertificates, startReceiver, type Receiver } from '../../harness/webhooks/receiver.ts';
import type { Json } from '../../harness/world.ts';
import { headingOf, it, missing } from '../clients/chromium.ts';
import { call } from '../clients/product.ts';
import { serve, type Served } from '../clients/serving.ts';

const SOON = { timeout: 20_000 };
const EVENTS = [
  'account.connected',
  'account.disconnected',
  'post.published',
  'comment.received',
  'mention.received',
  'dm.received',
  'dm.postback',
];
/** The first start has connected Alice already. */
const ALICE = 'alice.sandbox.test';
const BOB = 'bob.sandbox.test';
const CAROL = 'carol.sandbox.test';

describe.skipIf(missing !== '')(`the sandbox console in a browser without scripts${missing}`, () => {
  const dataDir = makeFolder(afterAll);
  const clock = join(dataDir, 'clock');
  /** Moves the clock of the server. */
  const moveTo = (aheadMs: number) => replaceFile(clock, String(aheadMs));
  let server: Served;
  let receiver: Receiver;
  let page: Page;
  let secret: string;
  let ahead = 0;
  /** What was read of the account and its post on each network. */
  let facebook: { account: string; post: string };
  let bluesky: { account: string; post: string };

  it.beforeAll(async ({ page: tab }) => {
    page = tab;
    moveTo(0);
    receiver = await startReceiver();
    const caFile = join(dataDir, 'ca.pem');
    writeFileSync(caFile, receiverCertificates.ca);
    server = await serve(dataDir, {
      NODE_ENV: 'test',
      CLOCK_FILE: clock,
      WEBHOOK_CA_FILE: caFile,
      ALLOW_PRIVATE_NETWORK: '127.0.0.0/8,::1/128',
    });
    secret = (await rest('POST /v1/webhooks', { url: receiver.url, events: EVENTS })).secret;
  });
  afterAll(() => Promise.all([server?.stop(), receiver?.close()]));

  const ask = (route: string, body?: object) => askRest(server.root, server.key(), route, body);
  const rest = (route: string, body?: object) => call({ url: server.root }, server.key(), route, body);
  async function mcp(name: string, input: object = {}): Promise<Json> {
    const { isError, body } = await askTool(server.root, server.key(), name, input);
    if (isError) throw new Error(JSON.stringify(body));
    return body;
  }

  const accounts = async (platform: string): Promise<Json[]> =>
    (await rest('GET /v1/accounts')).data.filter((account: Json) => account.platform === platform);

  /** The event that came signed as receivers check it, once it is there. */
  async function heard(event: string, about: object): Promise<Json> {
    const find = () =>
      receiver.received.filter(({ body }) => {
        if (body.event !== event) return false;
        const data = Array.isArray(body.data) ? (body.data[0] as object) : body.data;
        return Object.entries(about).every(
          ([name, value]) => JSON.stringify((data as Json)[name]) === JSON.stringify(value),
        );
      });
    await expect.poll(() => find().length, { ...SOON, message: `${event} ${JSON.stringify(about)}` }).toBe(1);
    const { headers: sent, raw, body } = find()[0]!;
    const signed = `${String(sent['x-service-timestamp'])}.${raw}`;
    expect(sent['x-service-signature-v2']).toBe(`sha256=${createHmac('sha256', secret).update(signed).digest('hex')}`);
    return body.data;
  }
  /** Lets the server look for news on the networks that push none. */
  const letTimePass = () => moveTo((ahead += MINUTE));

  const open = (network = '') => page.goto(`${server.root}/sandbox${network && `/${network}`}`);
  const posted = (text: string) => page.locator('#posts article').filter({ hasText: text });
  const said = (text: string) => page.locator('.said').filter({ hasText: text }).last();
  const requests = (text: string) => page.locator('#requests tr').filter({ hasText: text });

  /** Unfolds a form by what is written on it, fills it in and sends it. */
  async function play(within: Locator, name: string, fields: Readonly<Record<string, string>> = {}): Promise<void> {
    const form = within.locator('details').filter({ has: page.getByText(name, { exact: true }) });
    await form.first().locator('summary').click();
    await fill(form.first(), fields);
    await form.first().getByRole('button', { name, exact: true }).click();
    expect(await page.getByRole('status').innerText()).toMatch(/^Done: /);
  }
  async function fill(form: Locator, fields: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, value] of Object.entries(fields)) {
      const list = form.getByRole('combobox', { name, exact: true });
      const field = form.getByRole('textbox', { name, exact: true }).or(form.getByLabel(name, { exact: true }));
      if ((await list.count()) === 1) await list.selectOption({ label: value });
      else await field.fill(value);
    }
  }
  async function breakNext(network: string, fields: Readonly<Record<string, string>>): Promise<void> {
    await open(network);
    const form = page.locator('#faults form').first();
    await fill(form, fields);
    await form.getByRole('button', { name: 'Switch on' }).click();
    expect(await page.getByRole('status').innerText()).toBe('Done: the fault is set.');
  }

  it('says who is there, how they are connected, and where one writes in their place', async ({ look, listen }) => {
    await open();
    await listen();
    await look('console');
    const shows = async (names: readonly string[]) => {
      const text = await page.locator('main').innerText();
      for (const name of names) expect(text).toContain(name);
    };
    await shows([ALICE, BOB, CAROL]);
    // The first page shows the people of a network once somebody has been on it.
    await page.getByRole('link', { name: 'Play the people of Facebook' }).click();
    expect(await headingOf(page)).toBe('Facebook');
    await page.goBack();
    await page.reload();
    await shows(['Olivia Harbour', 'Harbour Coffee', 'Fred Follower', 'Mia Message']);
    await page.getByRole('link', { name: 'Play the people of Facebook' }).click();
    expect(await page.locator('nav [aria-current]').innerText()).toBe('Facebook');
    await listen();
    await look('facebook-empty');
    await page.getByRole('navigation', { name: 'Sandbox' }).getByRole('link', { name: 'Bluesky' }).click();
    expect(await headingOf(page)).toBe('Bluesky');
    await listen();
    await look('bluesky-empty');
  });

  it('connects a Facebook login through the network’s own dialog, and takes a no', async ({ press, look, listen }) => {
    const connect = async () => (await rest('POST /v1/accounts/connect', { platform: 'facebook' })).auth_url as string;
    await page.goto(await connect());
    await page.getByRole('link', { name: 'Continue to Facebook' }).click();
    await listen();
    await look('dialog');
    await press('Cancel');
    await page.waitForURL(`${server.root}/connect/result?**`);
    expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied');
    await look('connect-denied');
    expect(await accounts('facebook')).toEqual([]);

    await page.goto(await connect());
    await look('connect');
    await page.getByRole('link', { name: 'Continue to Facebook' }).click();
    await page.getByLabel('Olivia Harbour').check();
    await page.getByLabel('Harbour Bakery').uncheck();
    await press('Continue');
    await page.waitForURL(`${server.root}/connect/result?**`);
    await look('connected');
    const [account] = await accounts('facebook');
    expect(account).toMatchObject({ platform: 'facebook', status: 'active', name: 'Olivia Harbour' });
    const { data: pages } = await rest(`GET /v1/accounts/${account.id}/pages`);
    expect(pages.map(({ name }: Json) => name)).toEqual(['Harbour Coffee']);
    await heard('account.connected', { account_id: account.id });
    facebook = { account: account.id, post: '' };
  });

  it('connects Bluesky with the app password that the console shows', async ({ press }) => {
    await open('bluesky');
    const shown = await page.locator('#people tr').filter({ hasText: BOB }).locator('code').first().innerText();
    const { auth_url } = await rest('POST /v1/accounts/connect', { platform: 'bluesky' });
    await page.goto(auth_url);
    await page.getByLabel('Handle').fill(BOB);
    await page.getByLabel('App password').fill(shown);
    await press('Connect');
    await page.waitForURL(`${server.root}/connect/result?**`);
    const account = (await accounts('bluesky')).find(({ username }: Json) => username === BOB);
    expect(account).toMatchObject({ status: 'active', metadata: { sandbox: true } });
    await heard('account.connected', { account_id: account.id });
    bluesky = { account: account.id, post: '' };

    // News begin with the first look; a second one tells that it is over.
    const looks = async () => {
      letTimePass();
      await open('bluesky');
      return requests('GET chat.bsky.convo.getLog').filter({ hasText: BOB }).count();
    };
    await expect.poll(looks, SOON).toBeGreaterThan(1);
  });

  it('shows what is published on both', async ({ look }) => {
    const published = await rest('POST /v1/posts', {
      text: 'Fresh bread at https://example.org',
      account_ids: [facebook.account, bluesky.account],
      publish_now: true,
    });
    expect(published.status).toBe('published');
    await heard('post.published', { post_id: published.id });
    facebook.post = published.id;
    bluesky.post = published.id;
    for (const network of ['facebook', 'bluesky']) {
      await open(network);
      expect(await posted('Fresh bread').count()).toBe(1);
      const { permalink } = published.results.find(({ platform }: Json) => platform === network);
      await posted('Fresh bread')
        .getByRole('link')
        .filter({ hasText: /^\d{4}-/ })
        .click();
      expect(page.url()).toBe(permalink);
      expect(await page.locator('main').innerText()).toContain('Fresh bread');
      await look(`${network}-permalink`);
    }
  });

  it('writes a comment on Facebook by the keyboard, which is heard, listed, answered and hidden', async ({ look }) => {
    await open('facebook');
    const offer = posted('Fresh bread').locator('summary', { hasText: 'Comment' });
    await offer.focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.type('Fred');
    await page.keyboard.press('Tab');
    await page.keyboard.type('Is it rye?');
    await look('facebook-form');
    // Past the picture, which nobody has to choose.
    for (let n = 0; n < 3; n += 1) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('status').waitFor();
    const comment = await heard('comment.received', { account_id: facebook.account });
    expect(comment).toMatchObject({ content: { text: 'Is it rye?' }, author: { name: 'Fred Follower' } });

    const place = { post_id: facebook.post, comment_id: comment.id, account_id: facebook.account };
    const listed = await mcp('list_post_comments', { post_id: facebook.post, account_id: facebook.account });
    expect(listed.data).toEqual([expect.objectContaining({ id: comment.id, text: 'Is it rye?', is_hidden: false })]);
    const path = `/v1/inbox/comments/${facebook.post}`;
    expect((await rest(`GET ${path}?account_id=${facebook.account}`)).data).toHaveLength(1);
    await rest(`POST ${path}`, { comment_id: comment.id, account_id: facebook.account, text: 'Half of it.' });
    await mcp('reply_to_comment', { ...place, text: 'The other half is wheat.' });
    await mcp('hide_comment', place);

    await open('facebook');
    expect(await said('Half of it.').innerText()).toMatch(/^Harbour Coffee\s+by the app/);
    expect(await said('The other half is wheat.').count()).toBe(1);
    const shown = page.locator('.said').filter({ hasText: 'Is it rye?' }).first();
    expect(await shown.locator('.badge', { hasText: 'hidden' }).count()).toBe(1);
    await rest(`DELETE ${path}/${comment.id}/hide?account_id=${facebook.account}`);
    await page.reload();
    expect(await shown.locator('.badge', { hasText: 'hidden' }).count()).toBe(0);
  });

  it('writes to the Page, reads its answers and taps a button', async ({ press, look }) => {
    await open('facebook');
    const fields = { Who: 'Mia Message', Page: 'Harbour Coffee', 'Text (optional)': 'Are you open?' };
    await play(page.locator('#play'), 'Write to a Page', fields);
    const message = await heard('dm.received', { account_id: facebook.account });
    expect(message).toMatchObject({ content: { text: 'Are you open?' } });
    const [thread] = (await rest(`GET /v1/inbox/conversations?account_id=${facebook.account}`)).data;
    expect(thread).toMatchObject({ last_message: 'Are you open?', unread_count: 1 });
    expect((await mcp('list_conversations', { account_id: facebook.account })).data).toHaveLength(1);

    await rest(`POST /v1/inbox/conversations/${thread.id}/messages`, { text: 'Until six.' });
    const buttons = [{ type: 'postback', title: 'Keep me a loaf', payload: 'LOAF' }];
    await mcp('send_dm', { conversation_id: thread.id, text: 'Shall we?', buttons });
    await open('facebook');
    expect(await said('Until six.').innerText()).toMatch(/^Harbour Coffee\s+by the app/);
    await look('facebook-played');
    await press('Tap “Keep me a loaf” as Mia Message');
    await page.getByRole('status').waitFor();
    expect(await heard('dm.postback', { account_id: facebook.account })).toMatchObject({
      content: { text: 'Keep me a loaf' },
    });
    await press('Read it as Mia Message');
    await page.getByRole('status').waitFor();
    const statuses = async () => {
      const { data: messages } = await mcp('list_messages', { conversation_id: thread.id });
      return messages
        .filter(({ direction }: Json) => direction === 'outgoing')
        .map(({ text, status }: Json) => [text, status]);
    };
    await expect.poll(statuses, SOON).toEqual([
      ['Shall we?', 'read'],
      ['Until six.', 'read'],
    ]);
  });

  it('replies, likes, mentions and writes on Bluesky, and sees how the app takes it', async ({ look }) => {
    await open('bluesky');
    await play(posted('Fresh bread'), 'Reply', { As: CAROL, 'Text (@handle mentions) (optional)': 'With seeds?' });
    await play(posted('Fresh bread'), 'Like', { As: ALICE });
    const forms = page.locator('#play');
    await play(forms, 'Write a post', { As: CAROL, 'Text (@handle mentions)': `Good bread at @${BOB}` });
    await play(forms, 'Write a message', { As: CAROL, Whom: BOB, 'Text (@handle mentions) (optional)': 'Hello Bob' });
    letTimePass();
    const comment = await heard('comment.received', { account_id: bluesky.account });
    expect(comment).toMatchObject({ content: { text: 'With seeds?' } });
    const mention = await heard('mention.received', { account_id: bluesky.account });
    const message = await heard('dm.received', { account_id: bluesky.account });
    expect(message).toMatchObject({ content: { text: 'Hello Bob' } });

    const account_id = bluesky.account;
    const place = { post_id: bluesky.post, comment_id: comment.id, account_id };
    const path = `/v1/inbox/comments/${bluesky.post}`;
    expect((await rest(`GET ${path}?account_id=${account_id}`)).data).toMatchObject([{ text: 'With seeds?' }]);
    await mcp('reply_to_comment', { ...place, text: 'With all of them.' });
    await rest(`POST ${path}/${comment.id}/hide`, { account_id });
    expect((await mcp('get_mentions', { account_id })).data).toMatchObject([{ id: mention.id }]);
    await mcp('reply_to_mention', { account_id, mention_id: mention.id, text: 'Thank you' });
    const [thread] = (await mcp('list_conversations', { account_id })).data;
    await rest(`POST /v1/inbox/conversations/${thread.id}/messages`, { text: 'Hello Carol' });

    await open('bluesky');
    await look('bluesky-played');
    const shown = posted('With seeds?');
    expect(await shown.locator('.badge').first().innerText()).toContain('hidden');
    expect(await shown.innerText()).toMatch(/Fresh bread[^]*likes 1[^]*With all of them\./);
    expect(await posted('Good bread').innerText()).toContain('Thank you');
    expect(await page.locator('#conversations').innerText()).toContain('Hello Carol');
  });

  it('breaks what the app asks next, and shows it', async ({ press, look }) => {
    const answer = (text: string) =>
      ask(`POST /v1/inbox/comments/${facebook.post}`, { account_id: facebook.account, text });
    const method = 'POST post/comments';
    const fault = { Person: 'olivia.sandbox.test', At: method };
    await breakNext('facebook', {
      ...fault,
      'What goes wrong': 'refused as too many requests, before anything happens',
      Times: '9',
    });
    expect(await page.locator('#faults li').innerText()).toContain('9 left');
    const refused = await answer('throttled');
    expect([refused.status, refused.body.error.code]).toEqual([429, 'platform.facebook.rate_limit']);
    await page.reload();
    await look('facebook-throttled');
    expect(await requests(method).first().innerText()).toMatch(/fault: throttled/);
    await press('Switch all off');
    expect(await page.locator('#faults li').count()).toBe(0);

    await breakNext('facebook', { ...fault, 'What goes wrong': 'the effect takes place, the answer is lost' });
    await answer('Said once');
    await open('facebook');
    expect(await page.locator('.said').filter({ hasText: 'Said once' }).count()).toBe(1);
    expect(await requests('fault: lost').count()).toBe(1);

    await breakNext('bluesky', { Person: BOB, 'What goes wrong': 'the access token is reported as expired' });
    await rest(`GET /v1/inbox/comments/${bluesky.post}?account_id=${bluesky.account}`);
    await open('bluesky');
    expect(await requests('fault: expired').count()).toBe(1);
  });

  it('shows every push with what became of it', async ({ look }) => {
    await open('facebook');
    const pushes = page.locator('#pushes tr');
    await expect
      .poll(async () => {
        await page.reload();
        return (await page.locator('#pushes').innerText()).includes('waiting');
      }, SOON)
      .toBe(false);
    const first = pushes.filter({ hasText: 'updates' }).first();
    await first.locator('summary').click();
    await look('facebook-pushes');
    expect(await first.locator('code').innerText()).toMatch(/^\{.*"object":"page"/);
    expect(await first.innerText()).toMatch(/delivered[^]*200/);
  });

  it('takes the app away from an account, which then has to be connected again', async () => {
    await open('facebook');
    await play(page.locator('#play'), 'Remove the app from an account', { Who: 'Olivia Harbour' });
    await heard('account.disconnected', { account_id: facebook.account });
    expect(await accounts('facebook')).toMatchObject([{ status: 'reconnect_required' }]);

    await breakNext('bluesky', {
      Person: BOB,
      'What goes wrong': 'the grant is taken back for good, at once',
    });
    letTimePass();
    await heard('account.disconnected', { account_id: bluesky.account });
    const { status } = await ask(`GET /v1/inbox/comments/${bluesky.post}?account_id=${bluesky.account}`);
    expect(status).toBe(403);
  });

  it('tells what is missing in a form, and complains of nothing', async ({ look, complaints }) => {
    await open('facebook');
    const form = page.locator('#play details').filter({ has: page.getByText('Write to a Page', { exact: true }) });
    await form.locator('summary').click();
    await form.getByRole('button').click();
    expect(await headingOf(page)).toBe('Write a text or name a file.');
    await look('console-refused');
    await page.getByRole('link', { name: 'to the sandbox' }).click();
    expect(await headingOf(page)).toBe('Sandbox');
    await look('console-used');
    // Statuses above 399 are told on the console; nothing else is.
    expect(complaints.filter((line) => !line.includes('the server responded with a status of 400'))).toEqual([]);
  });
});
