import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { makeProcessLock } from '#db/store/postgres/process-lock.ts';

/** A message of PostgreSQL's protocol. */
function message(type: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
}

const SIGNED_IN = message('R', Buffer.alloc(4));
const READY = message('Z', Buffer.from('I'));
const SHUTTING_DOWN = message('E', Buffer.from('SFATAL\0C57P01\0Mterminating connection\0\0'));

it('a database that shuts down while it is being connected to does not end the process', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(Buffer.concat([SIGNED_IN, READY, SHUTTING_DOWN])));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const warnings: string[] = [];
  const log = { warn: (_: object, text: string) => void warnings.push(text) };
  const { port } = server.address() as AddressInfo;
  const lock = makeProcessLock({ url: `postgres://anna:secret@127.0.0.1:${port}/rostra`, log }, '0123456789ab');
  await expect(lock.hold()).rejects.toThrow();
  expect(warnings).toContain('a database connection was lost');
  server.close();
});
