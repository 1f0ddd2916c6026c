import { describe, expect } from 'vitest';
import { it } from '../../harness/world.ts';
import { call, expectRefusal, INVALID, REQUIRED } from '../../harness/calls/operations.ts';

const url = 'https://hooks.example.org/in';
const events = ['post.published'];

describe('create_webhook', () => {
  it('shows the secret, and calls nobody', async ({ world }) => {
    const { status, body } = await call(world, 'create_webhook', {
      url,
      events: ['dm.sent', 'post.failed', 'dm.sent'],
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^whk_/),
      url,
      events: ['dm.sent', 'post.failed'],
      secret: expect.stringMatching(/^[0-9a-f]{64}$/),
      message: expect.any(String),
      is_active: true,
      created_at: '2026-01-15T09:00:00.000Z',
      updated_at: '2026-01-15T09:00:00.000Z',
    });
    await world.settle();
    expect((await call(world, 'list_webhook_deliveries', { webhook_id: body.id })).body.count).toBe(0);
  });

  // In the order of the checks: each line breaks the rules that come after its own, too.
  it.for([
    [{}, REQUIRED, 'url'],
    [{ url: null, events: ['none'] }, REQUIRED, 'url'],
    [{ url: '', events }, REQUIRED, 'url'],
    [{ url: ' \n', events }, REQUIRED, 'url'],
    [{ url: 'http://10.0.0.1/' }, INVALID, 'url'],
    [{ url: 'https://ho\nst/', events }, INVALID, 'url'],
    [{ url: 'hooks.example.org', events: [] }, INVALID, 'url'],
    [{ url: 7, events: 7 }, INVALID, 'url'],
    [{ url: 'https://10.0.0.1/' }, INVALID, 'url'],
    [{ url: 'https://169.254.169.254/', events: ['none'] }, INVALID, 'url'],
    [{ url: 'https://[fd00::1]/', events }, INVALID, 'url'],
    [{ url: 'https://0x0a000001/', events }, INVALID, 'url'],
    [{ url: 'https://example.com:0/', events }, INVALID, 'url'],
    [{ url: 'https://.', events }, INVALID, 'url'],
    [{ url: 'https://..', events }, INVALID, 'url'],
    [{ url: 'https://a..example.org/', events }, INVALID, 'url'],
    [{ url: 'https:///hooks.example.org', events }, INVALID, 'url'],
    [{ url: 'https:hooks.example.org', events }, INVALID, 'url'],
    [{ url: 'https://example.com\\@127.0.0.1/', events }, INVALID, 'url'],
    [{ url: 'https://hooks.example.org/a\\b', events }, INVALID, 'url'],
    [{ url: `https://a.example.org/${'x'.repeat(2048)}`, events }, INVALID, 'url'],
    [{ url }, REQUIRED, 'events'],
    [{ url, events: null }, REQUIRED, 'events'],
    [{ url, events: [] }, INVALID, 'events'],
    [{ url, events: 'post.published, post.failed' }, INVALID, 'events'],
    [{ url, events: ['post.published', 'post.exploded'] }, INVALID, 'events'],
    [{ url, events: [7] }, INVALID, 'events'],
    [{ url, events: [null] }, INVALID, 'events'],
    [{ url, events: ['constructor'] }, INVALID, 'events'],
  ] as const)('refuses input %#', async ([input, code, field], { shared: world }) => {
    await expectRefusal(call(world, 'create_webhook', input), code, { field });
    expect((await call(world, 'list_webhooks')).body.count).toBe(0);
  });

  it('takes more names than there are events, as long as they are events', async ({ world }) => {
    const { ok, body } = await call(world, 'create_webhook', { url, events: Array(50).fill('dm.sent') });
    expect([ok, body.events]).toEqual([true, ['dm.sent']]);
  });
});

it('create_webhook refuses a body that is no JSON object before it looks at fields', async ({ world }) => {
  for (const body of ['{"url":', '[]', '"text"', 'null']) {
    const answer = await world.rest('POST /v1/webhooks', body);
    expect([answer.status, answer.body.error.code]).toEqual([400, 'validation.body_invalid']);
  }
});
