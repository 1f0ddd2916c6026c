import { expect } from 'vitest';
import { signLegacy, signV2 } from '#kernel/sign.ts';
import { it } from '../harness/world.ts';

it('connects an account, publishes a post and notifies a receiver, signed', async ({ world }) => {
  const receiver = await world.receive(['post.published']);
  const account = await world.connect();

  const posted = await world.rest('POST /v1/posts', { text: 'Hello', account_ids: [account.id], publish_now: true });
  const results = [{ account_id: account.id, status: 'published' }];
  expect(posted).toMatchObject({ status: 201, body: { status: 'published', results } });

  await world.settle();
  expect(receiver.received).toHaveLength(1);
  const [{ headers, raw, body }] = receiver.received as [(typeof receiver.received)[number]];
  const data = { post_id: posted.body.id, brand_id: account.brand_id };
  expect(body).toMatchObject({ event: 'post.published', data });
  const timestamp = headers['x-service-timestamp'] as string;
  expect(headers['x-service-signature-v2']).toBe(signV2(receiver.secret, timestamp, raw));
  expect(headers['x-socialapi-signature']).toBe(signLegacy(receiver.secret, raw));
  expect(headers['x-service-event']).toBe('post.published');
});

it('does the same through MCP', async ({ world, account }) => {
  const input = { text: 'Hello from an assistant', account_ids: [account.id], publish_now: true };
  const body = { status: 'published', targets: [{ status: 'published' }] };
  expect(await world.mcp('create_post', input)).toMatchObject({ isError: false, body });
});
