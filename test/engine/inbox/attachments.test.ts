import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { PlatformError } from '#platforms/errors.ts';
import type { AttachmentLocation, Messages } from '#platforms/messages.ts';
import type { MessageAttachment } from '#platforms/inbox-types.ts';
import { openThread } from '../../harness/calls/rest.ts';
import { accountPush, said, sendPush } from '../../harness/platforms/inbound.ts';
import { serveTest } from '../../harness/sockets.ts';
import { accountWorld } from '../../harness/worlds/account.ts';
import type { Json } from '../../harness/world.ts';

const SLUG = 'telegram';
const CANARY = 'canary-of-the-login';
const PICTURE = Buffer.alloc(300_000, 'picture ');

type Host = (req: IncomingMessage, res: ServerResponse) => void;

/** A host of files that wants a bearer, and answers ranges. */
const host: Host = (req, res) => {
  if (req.headers.authorization !== `Bearer ${CANARY}`) return void res.writeHead(401).end();
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(req.headers.range ?? '') ?? [];
  if (from === undefined) {
    res.writeHead(200, { 'content-type': 'image/png', 'content-length': PICTURE.length, 'accept-ranges': 'bytes' });
    return void res.end(PICTURE);
  }
  if (Number(from) >= PICTURE.length) {
    res.writeHead(416, { 'content-range': `bytes */${PICTURE.length}`, 'content-type': 'text/html' });
    return void res.end(`<p>${CANARY}</p>`);
  }
  const part = PICTURE.subarray(Number(from), Number(to) + 1);
  const range = `bytes ${from}-${to}/${PICTURE.length}`;
  res.writeHead(206, { 'content-type': 'image/png', 'content-length': part.length, 'content-range': range });
  res.end(part);
};

/** A world with a conversation whose message has an attachment behind the login. */
async function attachedWorld(
  serve: Host = host,
  attachment: MessageAttachment = { type: 'image', ref: 'media-1' },
  location: Partial<AttachmentLocation> = {},
) {
  const origin = await serveTest(createServer(serve));
  const located: string[] = [];
  const messages: Messages = {
    parts: { text: { max: 100, counting: 'chars' } },
    bubble: { send: () => Promise.reject(new Error('not here')) },
    async locate(_call, ref) {
      located.push(ref);
      if (ref === 'gone') throw new PlatformError('refused', 'not_found', 'Gone.');
      return { url: `${origin}/bot${CANARY}/file`, headers: { authorization: `Bearer ${CANARY}` }, ...location };
    },
  };
  const { push, targets } = accountPush();
  const { world } = await accountWorld({ push, messages }, SLUG);
  const receiver = await world.receive(['dm.received']);
  const { callback, secret } = targets[0]!;
  await sendPush(callback, [{ event: said('m1', { attachments: [attachment] }) }], secret);
  await world.settle();
  const { messages: messagesNow } = await openThread(world);
  const event = receiver.received[0]!.body as Json;
  return { world, located, messagesNow, event };
}

it('is read at an address of ours for an hour, and the login never leaves the server', async () => {
  const { world, located, messagesNow, event } = await attachedWorld();
  const [message] = await messagesNow();
  const url = message.attachment_url as string;
  expect(url).toMatch(new RegExp(`^${world.root}/media/inbound/[\\w.-]+$`));
  expect(message.attachments).toEqual([{ type: 'image', url }]);
  expect(event.data.content.media).toEqual([{ type: 'image', url: expect.stringContaining('/media/inbound/') }]);
  expect(located).toEqual([]);

  const answer = await fetch(event.data.content.media[0].url);
  const { status, headers } = answer;
  expect(status).toBe(200);
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-type': 'image/png',
    'content-length': String(PICTURE.length),
    'content-disposition': 'inline; filename="attachment"',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "sandbox; default-src 'none'",
  });
  expect(Buffer.from(await answer.arrayBuffer()).equals(PICTURE)).toBe(true);
  const partOf = async (range: string) => {
    const part = await fetch(url, { headers: { range } });
    return [part.status, part.headers.get('content-range'), await part.text()];
  };
  expect(await partOf('bytes=8-15')).toEqual([206, `bytes 8-15/${PICTURE.length}`, 'picture ']);
  expect(await partOf('bytes=900000-900001')).toEqual([416, `bytes */${PICTURE.length}`, '']);
  expect(located).toEqual(['media-1', 'media-1', 'media-1']);

  world.clock.move(3_600_001);
  const late = await fetch(url);
  expect([late.status, ((await late.json()) as Json).error.code]).toEqual([403, 'auth.invalid_secret']);
  expect((await fetch(url.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')))).status).toBe(403);
  const stored = await world.product.store.db.selectFrom('messages').selectAll().execute();
  const events = await world.product.store.db.selectFrom('events').select('body').execute();
  const everything = [...world.log, JSON.stringify([stored, events, message, [...headers]])];
  expect(everything.filter((text) => text.includes(CANARY))).toEqual([]);
});

it('that the platform has no more is not found, and one that does not come is an error of the platform', async () => {
  const gone = await attachedWorld(host, { type: 'image', ref: 'gone' });
  const codeAt = async ({ messagesNow }: Awaited<ReturnType<typeof attachedWorld>>) => {
    const answer = await fetch((await messagesNow())[0].attachment_url);
    return [answer.status, ((await answer.json()) as Json).error.code];
  };
  expect(await codeAt(gone)).toEqual([404, 'resource.not_found']);
  const refused = await attachedWorld((_req, res) => void res.writeHead(401).end());
  expect(await codeAt(refused)).toEqual([502, `platform.${SLUG}.api_error`]);
  const cut = await attachedWorld((req) => req.socket.destroy());
  expect(await codeAt(cut)).toEqual([502, `platform.${SLUG}.api_error`]);
  for (const { log } of [refused.world, cut.world]) expect(log.filter((line) => line.includes(CANARY))).toEqual([]);
});

it('that a browser might run is saved instead', async () => {
  const page: Host = (_req, res) => void res.writeHead(200, { 'content-type': 'text/html' }).end('<script>1</script>');
  const { messagesNow } = await attachedWorld(page, undefined, { filename: 'page.html' });
  const { headers } = await fetch((await messagesNow())[0].attachment_url);
  expect([headers.get('content-type'), headers.get('content-disposition')]).toEqual([
    'application/octet-stream',
    'attachment; filename="page.html"',
  ]);
});

it('with a public address is shown as it is', async () => {
  const attachment = { type: 'image', url: 'https://cdn.test/1', ref: 'media-1' };
  const { messagesNow, event } = await attachedWorld(host, attachment);
  expect((await messagesNow())[0].attachments).toEqual([{ type: 'image', url: 'https://cdn.test/1' }]);
  expect(event.data.content.media).toEqual([{ type: 'image', url: 'https://cdn.test/1' }]);
});
