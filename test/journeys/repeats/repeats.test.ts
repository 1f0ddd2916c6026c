import { HOUR } from '#kernel/clock.ts';
import { describe, expect } from 'vitest';
import { png } from '../../harness/media-samples.ts';
import { it, makeWorld, type Answer, type World } from '../../harness/world.ts';

type Call = Parameters<World['rest']>[0];

/** Sends the same twice, as a client does that lost the first answer. */
async function twice(world: World, call: Call, body?: () => unknown): Promise<readonly [Answer, Answer]> {
  const send = () => world.rest(call, body?.(), { headers: { 'Idempotency-Key': call.replace(' ', ':') } });
  return [await send(), await send()];
}

function expectReplay([first, again]: readonly [Answer, Answer], status: number): void {
  expect([first.status, first.headers.get('idempotency-replayed')]).toEqual([status, null]);
  expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([status, 'true']);
  expect(again.body).toEqual(first.body);
}

describe('a client that repeats a request with its Idempotency-Key', () => {
  it('publishes once', async ({ world, account: { id } }) => {
    const post = { text: 'Once, please', targets: [{ account_id: id }], publish_now: true };
    expectReplay(await twice(world, 'POST /v1/posts', () => post), 201);
    await world.settle();
    const { body } = await world.rest('GET /v1/posts');
    expect(body.data).toMatchObject([{ status: 'published', text: 'Once, please' }]);
  });

  it('makes one brand, though names need not be unique', async ({ world }) => {
    expectReplay(await twice(world, 'POST /v1/brands', () => ({ name: 'Bakery' })), 201);
    expect((await world.rest('GET /v1/brands')).body.data).toHaveLength(2);
  });

  it('uploads one file', async ({ world }) => {
    const form = () => {
      const parts = new FormData();
      parts.set('file', new Blob([png(4, 4)]), 'a.png');
      return parts;
    };
    expectReplay(await twice(world, 'POST /v1/media/upload', form), 201);
    expect((await world.rest('GET /v1/media')).body.data).toHaveLength(1);
  });

  it('gets the secret it missed, which is stored nowhere but sealed', async ({ world }) => {
    const key = await twice(world, 'POST /v1/keys', () => ({ name: 'laptop' }));
    const { url } = await world.receive(['post.published']);
    const webhook = { url: `${url}/again`, events: ['post.published'] };
    const endpoint = await twice(world, 'POST /v1/webhooks', () => webhook);
    const rotated = await twice(world, `POST /v1/keys/${key[0].body.id}/rotate`);
    expectReplay(key, 201);
    expectReplay(endpoint, 201);
    expectReplay(rotated, 200);
    const { body } = await world.rest('GET /v1/keys', undefined, { key: rotated[1].body.raw_key });
    expect(body.data.filter(({ name }: { name: string }) => name === 'laptop')).toHaveLength(1);
    const rows = await world.product.store.db.selectFrom('idempotency').selectAll().execute();
    for (const secret of [key[0].body.raw_key, endpoint[0].body.secret, rotated[0].body.raw_key]) {
      expect(world.log.join()).not.toContain(secret);
      expect(JSON.stringify(rows)).not.toContain(secret);
    }
  });

  it('gets the same rest of its plan as the first time', async () => {
    const world = await makeWorld({ env: { DEFAULT_PLAN: 'free' } });
    const { id } = await world.connect();
    const post = (text: string) => ({ text, targets: [{ account_id: id }], publish_now: true });
    const send = (text: string) => world.rest('POST /v1/posts', post(text), { headers: { 'Idempotency-Key': text } });
    const [first, , again] = [await send('one'), await send('two'), await send('one')];
    expect(first.headers.get('x-posts-remaining')).toMatch(/^\d+$/);
    expect(again.headers.get('x-posts-remaining')).toBe(first.headers.get('x-posts-remaining'));
  });

  it('may do so for a day; then nothing is left of it', async ({ world }) => {
    await twice(world, 'POST /v1/brands', () => ({ name: 'Bakery' }));
    const rows = () => world.product.store.db.selectFrom('idempotency').selectAll().execute();
    await world.pass(23 * HOUR);
    expect(await rows()).toHaveLength(1);
    await world.pass(2 * HOUR);
    expect(await rows()).toEqual([]);
  });

  it('may be a page of another site', async ({ world }) => {
    const headers = { Origin: 'https://app.example.org', 'Access-Control-Request-Method': 'POST' };
    const asked = await world.rest('OPTIONS /v1/posts', undefined, { key: null, headers });
    expect(asked.headers.get('access-control-allow-headers')).toContain('Idempotency-Key');
    const told = await world.rest('POST /v1/brands', { name: 'B' }, { headers });
    expect(told.headers.get('access-control-expose-headers')).toContain('Idempotency-Replayed');
  });

  it('reads of the header in the description of every POST, and of no other', async ({ world }) => {
    const { body } = await world.rest('GET /openapi.json');
    const operations = Object.entries<Record<string, any>>(body.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ name: `${method} ${path}`, method, operation })),
    );
    const whole = ({ $ref, ...own }: any) => {
      const [, , kind, name] = ($ref?.split('/') ?? []) as string[];
      return kind === undefined ? own : { ...body.components[kind]![name!], ...own };
    };
    const names = (parameters: readonly object[] = []) => parameters.map((one) => whole(one).name as string);
    const described = operations.filter(({ operation }) => names(operation.parameters).includes('Idempotency-Key'));
    expect(described.map(({ name }) => name)).toEqual(
      operations.filter(({ method }) => method === 'post').map(({ name }) => name),
    );
    for (const { operation } of described) {
      const conflict = whole(operation.responses[409]);
      expect(conflict.description).toContain('`resource.conflict`');
      expect(conflict.headers).toHaveProperty('Retry-After');
      // What waits for a person is asked about anew by each repeat.
      for (const [status, answer] of Object.entries<any>(operation.responses))
        if (status !== '202') expect(whole(answer).headers).toHaveProperty('Idempotency-Replayed');
    }
  });
});
