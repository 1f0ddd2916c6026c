import { MINUTE, HOUR } from '#kernel/clock.ts';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { describe, expect } from 'vitest';
import { it, type Json, type World } from '../../harness/world.ts';
import { call } from '../../harness/calls/operations.ts';
import { html, png } from '../../harness/media-samples.ts';
import { telegramOf } from '../../harness/platforms/telegram.ts';
import { serveTest } from '../../harness/sockets.ts';
import { from, make } from '../../harness/worlds/post-stage.ts';

type Answer = (response: ServerResponse) => void;

const answering =
  (status: number, body?: Uint8Array, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(status, headers).end(body);

/** A host of media that answers one way after the other, and with the last for ever; and how often it was asked. */
async function hostOf(...answers: readonly Answer[]) {
  let asked = 0;
  const listener: RequestListener = (_, response) => answers[Math.min(asked++, answers.length - 1)]!(response);
  const root = await serveTest(createServer(listener));
  return { root, asked: () => asked };
}

/** A post with a picture from an address, at its time. */
async function due(world: World, account: string, source: string): Promise<() => Promise<Json>> {
  const media = [{ source, source_type: 'url', type: 'image' }];
  const { id: post_id } = await make(world, {
    text: 'Look',
    account_ids: [account],
    media,
    scheduled_at: from(world, HOUR),
  });
  await world.pass(HOUR);
  return async () => (await call(world, 'get_post', { post_id })).body;
}

const hangUp: Answer = (response) => {
  response.socket?.destroy();
};
const picture = answering(200, png(4, 4));

describe('publish_post with media at an address', () => {
  it.for([
    ['a redirect that leads back', 5, answering(302, undefined, { location: '/a.png' }), /redirects too often/],
    ['a redirect to a closed address', 1, answering(302, undefined, { location: 'http://169.254.1.1/' }), /private/],
    ['a page', 1, answering(200, html, { 'content-type': 'image/png' }), /is text\/html/],
    ['nothing', 1, answering(200), /is empty/],
    ['404', 1, answering(404), /answers with status 404/],
    ['410', 1, answering(410), /answers with status 410/],
    ['401', 1, answering(401), /answers with status 401/],
    ['403', 1, answering(403), /answers with status 403/],
  ] as const)('that can never be fetched ends at once: %s', async ([, most, answer, reason], { world }) => {
    const host = await hostOf(answer);
    const { id: account } = await world.connect();
    const read = await due(world, account, `${host.root}/a.png?token=s3cret#x`);
    const { status, results } = await read();
    expect([status, results[0].status, results[0].error_code]).toEqual([
      'failed',
      'failed',
      'validation.field_invalid',
    ]);
    const { message } = results[0].error;
    expect(message).toMatch(reason);
    expect(message).toContain(`${host.root}/a.png?…`);
    expect(message).not.toContain('s3cret');
    expect(host.asked()).toBeLessThanOrEqual(most);
  });

  it('is told without the token in the path of its address', async ({ world }) => {
    const host = await hostOf(answering(404));
    const { id: account } = await world.connect();
    const read = await due(world, account, `${host.root}/file/bot123456:AAH-token_of_a_bot/a.jpg`);
    const [{ error }] = (await read()).results;
    expect(error.message).toContain(`${host.root}/file/bot[cut]/a.jpg answers with status 404`);
    expect(JSON.stringify(error)).not.toContain('token_of_a_bot');
  });

  it.for([
    ['a full host', answering(503)],
    ['a throttle', answering(429, undefined, { 'retry-after': '20' })],
    ['a lost connection', hangUp],
  ] as const)('that may come is tried again, and says so meanwhile: %s', async ([, answer], { world }) => {
    const telegram = telegramOf(world);
    for (const account of [(await world.connect()).id, (await telegram.connect()).account]) {
      const host = await hostOf(answer, answer, picture);
      const read = await due(world, account, `${host.root}/a.png`);
      const { status, results } = await read();
      expect([status, results[0].error_code]).toEqual(['publishing', 'publishing.delivery.interrupted']);
      const said = new RegExp(
        `^This media cannot be fetched yet\\. \\(media: ${host.root}/a\\.png .*\\) Next attempt at `,
      );
      expect(results[0].error.message).toMatch(said);
      for (let minute = 0; minute < 3; minute += 1) await world.pass(MINUTE);
      expect([(await read()).status, host.asked()]).toEqual(['published', 3]);
    }
  });
});
