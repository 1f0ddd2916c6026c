import { describe, expect } from 'vitest';
import { signV2 } from '#kernel/sign.ts';
import { it as test } from '../../harness/world.ts';
import { call, expectRefusal, INVALID, REQUIRED } from '../../harness/calls/operations.ts';

const it = test.extend('receiver', ({ world }) => world.receive(['post.published']));

describe('test_webhook', () => {
  it('posts the payload itself, signed and without a delivery id', async ({ world, receiver }) => {
    const payload = { hello: 'wörld', list: [1, null] };
    const input = { webhook_id: receiver.id, event_type: 'my.own event', payload };
    const { status, body } = await call(world, 'test_webhook', input);
    expect(status).toBe(200);
    expect(body).toEqual({
      status: 'delivered',
      response_status_code: 204,
      response_duration_ms: expect.any(Number),
      response_body: expect.toBeOneOf(['', null]),
      error_message: null,
      delivery_id: expect.stringMatching(/^dlv_/),
    });
    const [{ headers, raw }] = receiver.received as [(typeof receiver.received)[number]];
    expect(JSON.parse(raw)).toEqual(payload);
    expect(headers).toMatchObject({ 'x-service-event': 'my.own event', 'x-socialapi-event': 'my.own event' });
    expect(headers).not.toHaveProperty('x-service-delivery');
    expect(headers['x-service-signature-v2']).toBe(
      signV2(receiver.secret, headers['x-service-timestamp'] as string, raw),
    );
    const { data } = (await call(world, 'list_webhook_deliveries', { webhook_id: receiver.id })).body;
    expect(data).toMatchObject([
      { id: body.delivery_id, event_type: 'my.own event', description: 'Test delivery', attempt_count: 1 },
    ]);
  });

  it.for([[500], [400], [302]] as const)(
    'fails once at %i, and is not repeated',
    async ([answer], { world, receiver }) => {
      receiver.answer(answer);
      const { body } = await call(world, 'test_webhook', { webhook_id: receiver.id, event_type: 'a', payload: 0 });
      expect(body).toMatchObject({ status: 'failed', response_status_code: answer });
      await world.pass(86_400_000);
      expect(receiver.received).toHaveLength(1);
    },
  );

  it('says 0 where nobody answers', async ({ world, receiver }) => {
    await receiver.close();
    const { body } = await call(world, 'test_webhook', { webhook_id: receiver.id, event_type: 'a', payload: [] });
    expect(body).toMatchObject({ status: 'failed', response_status_code: 0, error_message: expect.any(String) });
  });

  it('works while the endpoint is switched off', async ({ world, receiver }) => {
    await call(world, 'update_webhook', { webhook_id: receiver.id, is_active: false });
    const { body } = await call(world, 'test_webhook', { webhook_id: receiver.id, event_type: 'a', payload: false });
    expect(body.status).toBe('delivered');
    expect(receiver.received.map(({ raw }) => raw)).toEqual(['false']);
  });

  it.for([
    [{ payload: {} }, REQUIRED, 'event_type'],
    [{ event_type: '', payload: {} }, REQUIRED, 'event_type'],
    [{ event_type: 'x'.repeat(101), payload: {} }, INVALID, 'event_type'],
    [{ event_type: 'a\r\nX-Evil: 1', payload: {} }, INVALID, 'event_type'],
    [{ event_type: 'a\nb', payload: 1 }, INVALID, 'event_type'],
    [{ event_type: 'a' }, REQUIRED, 'payload'],
    [{ event_type: 'a', payload: null }, REQUIRED, 'payload'],
  ] as const)('refuses input %#', async ([input, code, field], { world, receiver }) => {
    await expectRefusal(call(world, 'test_webhook', { webhook_id: receiver.id, ...input }), code, { field });
    expect(receiver.received).toEqual([]);
  });

  it.for([
    ['1e400', 'payload'],
    ['{"list":[1,-1e400]}', 'payload.list.1'],
  ] as const)('refuses %s, which it could not send on', async ([payload, field], { world, receiver }) => {
    const sent = `{"event_type":"a","payload":${payload}}`;
    const { status, body } = await world.rest(`POST /v1/webhooks/${receiver.id}/test`, sent);
    expect([status, body.error]).toMatchObject([400, { code: INVALID, meta: { field } }]);
    expect(receiver.received).toEqual([]);
  });
});
