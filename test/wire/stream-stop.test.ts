import { expect, it } from 'vitest';
import { listen } from '../harness/webhooks/event-source.ts';
import { makeFolder } from '../harness/folders.ts';
import { call, startProduct } from './clients/product.ts';

it('a server that is told to stop ends the streams of its events log in good order', async () => {
  const server = await startProduct(makeFolder());
  const { key } = server.firstRun();
  const headers = { Authorization: `Bearer ${key}` };
  const streams = await Promise.all([1, 2, 3].map(() => listen(`${server.url}/v1/events/stream`, headers)));
  for (const stream of streams) expect([stream.status, await stream.next()]).toEqual([200, { retry: '3000' }]);
  const { id } = await call(server, key, 'POST /v1/brands', { name: 'Last words' });
  const ending = server.stop();
  for (const stream of streams) {
    expect((await stream.next())?.data).toMatchObject({ action: 'brand_created', resource_id: id });
    expect(await stream.next()).toBeUndefined();
  }
  expect(await ending).toMatchObject({ code: 0, signal: null });
});
