import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { UnauthenticatedCall } from '#platforms/call.ts';
import { errorTable, waitOf } from '#platforms/shared/errors.ts';
import { type Answer, makeRest, path, trySend } from '#platforms/shared/rest.ts';
import { answer, lost, ok, type Script, scripted } from '../../harness/platforms/script.ts';

const hosts = { api: 'https://api.test/v1' };
const table = errorTable([[{ name: 'gone' }, 'refused', 'not_found']]);
/** A platform that answers 200 with `error` in the body. */
const errorOf = ({ status, headers, body }: Answer) => {
  const { error } = (body ?? {}) as { error?: string };
  return error === undefined ? undefined : table.errorOf({ status, name: error, text: '', wait: waitOf(headers, 0) });
};
const options = { base: (call: UnauthenticatedCall) => call.hosts['api']!, errorOf };
const rest = makeRest(options);
const Named = z.object({ id: z.string() });

const network = (script: Script) =>
  scripted(script, { hosts, nameOf: ({ method, url }) => `${method} ${new URL(url).pathname}` });

describe('a request', () => {
  it('fills and encodes its path, which is logged unfilled', async () => {
    const { bare, asked } = network({ 'GET /v1/posts/urn%3Ali%3Ashare%3A1/likes': ok({ id: 'x' }) });
    const where = path`/posts/${{ post: 'urn:li:share:1' }}/likes`;
    expect(await rest.get(bare, where, Named, { query: { fields: 'id', after: undefined, uris: ['a', 'b'] } })).toEqual(
      {
        id: 'x',
      },
    );
    expect(asked[0]!.request.template).toBe('/posts/{post}/likes');
    expect(asked[0]!.params.toString()).toBe('fields=id&uris=a&uris=b');
  });

  it.each(['..', '', 'a/b', 'a\\b', 'a?b', 'a#b', '%2e%2e', ' ', 'x'.repeat(301)])(
    'is not made for the id %j',
    async (id) => {
      const { bare, asked } = network({});
      await expect(rest.del(bare, path`/posts/${{ id }}`, Named)).rejects.toMatchObject({ reason: 'not_found' });
      expect(asked).toEqual([]);
    },
  );

  it('carries a form, JSON, a file or bytes', async () => {
    const { bare, asked } = network({ 'POST /v1/x': ok({ id: 'x' }), 'PUT /v1/x': ok({ id: 'x' }) });
    await rest.post(bare, path`/x`, Named, { form: { text: 'ü&', skipped: undefined } });
    await rest.post(bare, path`/x`, Named, { json: { text: 'ü' } });
    const file = { name: 'file', filename: 'a.png', type: 'image/png', bytes: Buffer.from('1234') };
    await rest.post(bare, path`/x`, Named, { form: { text: 'ü' }, file });
    const body = { type: 'video/mp4', content: Buffer.from('12') };
    await rest.put(bare, path`/x`, Named, { body, headers: { 'content-range': 'bytes 0-1/2' } });
    expect(asked.map(({ form, body: json, request }) => [form, json, request.deadlineMs])).toEqual([
      [{ text: 'ü&' }, undefined, 15_000],
      [{}, { text: 'ü' }, 15_000],
      [{ text: 'Ã¼', file: 'a.png image/png 4' }, undefined, 60_000],
      [{}, undefined, 60_000],
    ]);
    expect(asked[3]!.request).toMatchObject({
      headers: { 'content-type': 'video/mp4', 'content-range': 'bytes 0-1/2' },
      body: body.content,
    });
  });
});

describe('an answer', () => {
  const reading = (reply: ReturnType<typeof answer> | Error) =>
    rest.get(network({ 'GET /v1/x': reply }).bare, path`/x`, Named);

  it.each([
    ['an error with 200', ok({ error: 'gone' }), 'refused', 'not_found'],
    ['an unlisted error', answer(400, { error: 'strange' }), 'unknown', 'api_error'],
    ['a status without an error', answer(302, ''), 'unknown', 'api_error'],
    ['a throttle that names no error', answer(503, '<html>'), 'unknown', 'api_error'],
    ['a body of another shape', ok({ id: 7 }), 'unknown', 'api_error'],
    ['a body that is no JSON', answer(200, '<html>'), 'unknown', 'api_error'],
    ['an empty body', answer(204, ''), 'unknown', 'api_error'],
    ['a lost answer', lost(), 'unknown', 'api_error'],
    ['a request that never left', lost(false), 'not_sent', 'api_error'],
  ])('that is %s', async (_, reply, kind, reason) => {
    await expect(reading(reply)).rejects.toMatchObject({ kind, reason });
  });

  it('may be empty or no JSON where nothing is read from it', async () => {
    const { bare } = network({ 'DELETE /v1/x': [answer(204, ''), answer(202, '<accepted/>')] });
    expect(await rest.del(bare, path`/x`, z.unknown())).toBeUndefined();
    expect(await rest.del(bare, path`/x`, z.unknown())).toBeUndefined();
  });

  it('shows its headers to who asks for them', async () => {
    const { bare } = network({ 'POST /v1/x': answer(201, '', { location: 'https://upload.test/1' }) });
    const { status, headers, body } = await rest.answerTo(bare, { method: 'POST', path: '/x' });
    expect([status, headers['location'], body]).toEqual([201, 'https://upload.test/1', undefined]);
  });

  it('keeps the digits of bare integers for a platform that sends them', async () => {
    const big = makeRest({ ...options, big: true });
    const { bare } = network({ 'GET /v1/x': answer(200, '{"id":17841405793187219}') });
    expect(await big.get(bare, path`/x`, Named)).toEqual({ id: '17841405793187219' });
  });

  it('of a best-effort request may be missing', async () => {
    const { bare } = network({ 'GET /v1/x': [lost(), ok({})] });
    const request = { method: 'GET', url: `${hosts.api}/x`, template: '/x' } as const;
    expect(await trySend(bare, request)).toBeUndefined();
    expect(await trySend(bare, request)).toMatchObject({ status: 200 });
  });
});
