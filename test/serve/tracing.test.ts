import { readFileSync } from 'node:fs';
import { describe, expect, onTestFinished, vi } from 'vitest';
import { upset } from '../harness/platforms/bluesky-people.ts';
import { receiveSpans, type SentSpan, type SpanReceiver } from '../harness/operating/spans.ts';
import { freePort } from '../harness/sockets.ts';
import { it, makeWorld, type World } from '../harness/world.ts';

const SERVER = 2;
const CLIENT = 3;
const FAILED = 2;

const traced = ({ url }: SpanReceiver, env: Record<string, string> = {}) =>
  makeWorld({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: url, ...env } });

const publishNow = async (world: World, text: string) =>
  world.rest('POST /v1/posts', { text, account_ids: [(await world.connect()).id], publish_now: true });

const named = (spans: readonly SentSpan[], name: string) => spans.filter((span) => span.name === name);

describe('traces', () => {
  it('follow a request through its operation to the platform, without a word of what is said', async () => {
    const receiver = await receiveSpans();
    const world = await traced(receiver, {
      OTEL_SERVICE_NAME: 'inbox',
      OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Bearer%20collector',
    });
    const { headers, body } = await publishNow(world, 'A secret recipe');
    expect(body.status).toBe('published');
    const receivers = await world.receive(['post.published']);
    await world.end();

    expect(receiver.requests[0]).toEqual({
      path: '/v1/traces',
      type: 'application/x-protobuf',
      authorization: 'Bearer collector',
    });
    expect(receiver.resource).toMatchObject({ 'service.name': 'inbox', 'service.version': expect.any(String) });
    const { spans } = receiver;
    const [request] = named(spans, 'POST /v1/posts');
    expect(request).toMatchObject({
      kind: SERVER,
      parent: '',
      status: 0,
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/v1/posts',
        'http.response.status_code': 201,
        'rostra.facade': 'rest',
        'rostra.request_id': headers.get('x-request-id'),
      },
    });
    expect(headers.get('traceresponse')).toBe(`00-${request!.trace}-${request!.id}-01`);
    const [operation] = named(spans, 'create_post');
    expect(operation).toMatchObject({ parent: request!.id, attributes: { 'rostra.operation': 'create_post' } });
    const [publish] = named(spans, 'publish');
    expect(publish).toMatchObject({ parent: operation!.id, attributes: { 'rostra.platform': 'bluesky' } });
    const steps = spans.filter(({ name, parent }) => name === 'publish step' && parent === publish!.id);
    const calls = spans.filter(({ kind, parent }) => kind === CLIENT && steps.some(({ id }) => id === parent));
    expect(calls).toContainEqual(
      expect.objectContaining({
        name: expect.stringMatching(/^bluesky POST /),
        trace: request!.trace,
        attributes: expect.objectContaining({ 'rostra.outcome': 'ok', 'http.response.status_code': 200 }),
      }),
    );
    const sent = receiver.bytes().toString('latin1');
    for (const secret of ['secret recipe', world.key, receivers.secret, receivers.url, 'app_password'])
      expect(sent).not.toContain(secret);
  });

  it('take what was planned, jobs and webhooks as traces of their own, and say what failed', async () => {
    const receiver = await receiveSpans();
    const world = await traced(receiver);
    const webhooks = await world.receive(['post.failed']);
    const account = await world.connect();
    await world.settle();
    // Before the next poll, which would meet the refusal first.
    const scheduled_at = new Date(world.clock.now() + 20_000).toISOString();
    await world.rest('POST /v1/posts', { text: 'Later', account_ids: [account.id], scheduled_at });
    upset(world, 'revoked');
    await world.pass(20_000);
    expect(webhooks.received.length).toBe(1);
    await world.end();

    const { spans } = receiver;
    const [publish] = named(spans, 'publish');
    expect(publish).toMatchObject({ parent: '', attributes: { 'rostra.platform': 'bluesky' } });
    const refused = spans.filter(({ trace, kind }) => trace === publish!.trace && kind === CLIENT);
    expect(refused).toContainEqual(expect.objectContaining({ status: FAILED }));
    expect(named(spans, 'webhook post.failed')).toMatchObject([
      { parent: '', kind: CLIENT, attributes: { 'rostra.webhook_id': webhooks.id, 'http.response.status_code': 204 } },
    ]);
    expect(spans.filter(({ name, parent }) => name.startsWith('job ') && parent !== '')).toEqual([]);
  });

  it('go on those of programs and assistants, never of a platform', async () => {
    const receiver = await receiveSpans();
    const world = await traced(receiver);
    const trace = 'ab'.repeat(16);
    // Not recorded by its caller: that decides nothing here.
    const traceparent = `00-${trace}-${'cd'.repeat(8)}-00`;
    await world.rest('GET /v1/accounts', undefined, { headers: { traceparent } });
    await world.rest('GET /v1/brands', undefined, { headers: { traceparent: `00-${'0'.repeat(32)}-x-01` } });
    const push = await fetch(`${world.root}/push/facebook`, { method: 'POST', headers: { traceparent }, body: '{}' });
    expect(push.headers.get('traceresponse')).toBeNull();
    await world.end();
    const continued = receiver.spans.filter((span) => span.trace === trace);
    expect(continued.map(({ name }) => name).toSorted()).toEqual(['GET /v1/accounts', 'list_accounts']);
    expect(named(continued, 'GET /v1/accounts')).toMatchObject([{ parent: 'cd'.repeat(8) }]);
    expect(named(receiver.spans, 'POST /push/{platform}')).toMatchObject([{ parent: '' }]);
    expect(named(receiver.spans, 'GET /v1/brands')).toMatchObject([{ parent: '' }]);
  });

  it('are recorded at random, whatever id a caller chose, and each whole', async () => {
    const receiver = await receiveSpans();
    const world = await traced(receiver, { OTEL_TRACES_SAMPLER_ARG: '0.5' });
    // The lowest and the highest of all ids.
    const [low, high] = ['00000001'.repeat(2) + '0'.repeat(16), 'ffffffff' + '0'.repeat(24)] as const;
    const random = vi.spyOn(Math, 'random');
    onTestFinished(() => random.mockRestore());
    const flagOf = async (chance: number, trace: string) => {
      random.mockReturnValue(chance);
      const traceparent = `00-${trace}-${'cd'.repeat(8)}-01`;
      const { headers } = await world.rest('GET /v1/accounts', undefined, { headers: { traceparent } });
      return headers.get('traceresponse')!.slice(-2);
    };
    expect([await flagOf(0.5, low), await flagOf(0.49, high)]).toEqual(['00', '01']);
    random.mockRestore();
    await world.end();
    const recorded = receiver.spans.filter(({ trace }) => trace === low || trace === high);
    expect(recorded.map(({ name }) => name).toSorted()).toEqual(['GET /v1/accounts', 'list_accounts']);
    expect(recorded.filter(({ trace }) => trace === low)).toEqual([]);
  });

  it('are left out as said, and nobody waits for a receiver that is away', async () => {
    const receiver = await receiveSpans();
    const none = await traced(receiver, { OTEL_TRACES_SAMPLER_ARG: '0' });
    expect((await none.rest('GET /v1/accounts')).status).toBe(200);
    await none.end();
    expect(receiver.requests).toEqual([]);
    const away = await traced({ ...receiver, url: `http://127.0.0.1:${await freePort()}` });
    expect((await away.rest('GET /v1/accounts')).status).toBe(200);
    await away.end();
  });

  it('are not there, nor anything that makes them, unless they are set', async ({ shared: world }) => {
    const { headers } = await world.rest('GET /v1/accounts');
    expect(headers.get('traceresponse')).toBeNull();
    const loaded = readFileSync('src/compose/tracing.ts', 'utf8').matchAll(/^import (?!type)[^;]*from '([^']+)'/gm);
    expect([...loaded].map(([, from]) => from).filter((from) => from!.startsWith('@'))).toEqual([]);
  });
});
