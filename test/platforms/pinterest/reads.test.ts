import { expect, it } from 'vitest';
import type { LookupCall, PublishCall } from '#platforms/posts.ts';
import { pinterest } from '#platforms/pinterest/index.ts';
import { answer, ok, type Script, scripted } from '../../harness/platforms/script.ts';
import { opened } from '../../harness/opened.ts';
import { postOf } from '../../harness/platforms/steps.ts';

const pinterestOf = (script: Script) =>
  scripted(script, {
    hosts: pinterest.hosts.real,
    session: { access_token: 'access-1' },
    nameOf: ({ url }) => new URL(url).pathname,
  });

it('boards are listed to the end, and a list without an end is left', async () => {
  const page = (id: string, bookmark: string | null) => ok({ items: [{ id, name: id, privacy: 'PUBLIC' }], bookmark });
  const two = pinterestOf({ '/v5/boards': [page('1', 'next'), page('2', null)] });
  expect((await pinterest.posts!.boards!(two.acting)).map(({ board_id }) => board_id)).toEqual(['1', '2']);
  const endless = pinterestOf({ '/v5/boards': ok({ items: [], bookmark: 'next' }) });
  expect(await pinterest.posts!.boards!(endless.acting)).toEqual([]);
  expect(endless.calls.length).toBeLessThan(10);
});

it('a permission that is missing is no login that has ended', async () => {
  const at = async (code: number) => {
    const { acting } = pinterestOf({ '/v5/boards': answer(401, { code, message: 'No.' }) });
    return pinterest.posts!.boards!(acting);
  };
  await expect(at(3)).rejects.toMatchObject({ reason: 'permission_denied', message: expect.stringContaining('grant') });
  await expect(at(7)).rejects.toMatchObject({ reason: 'permission_denied' });
  await expect(at(2)).rejects.toMatchObject({ reason: 'auth', expired: true });
});

it('a video that failed has the code that Pinterest says, and none where it says none', async () => {
  const processed = async (failure_code: unknown) => {
    const { acting } = pinterestOf({ '/v5/media/m': ok({ status: 'failed', failure_code }) });
    const done = { register: { media_id: 'm', upload_url: 'https://up.test', upload_parameters: {} } };
    const post = postOf({ media: [{ ref: 'v', kind: 'video' }] });
    const call = { ...acting, post, done } as unknown as PublishCall;
    return pinterest.posts!.publish.run(call, 'processed').catch((error) => error.details.code);
  };
  expect(await Promise.all(['x', 7, null].map(processed))).toEqual(['x', 7, undefined]);
});

it('an upload that the storage refuses begins anew with the next retry, and any other outcome is unknown', async () => {
  const uploaded = async (status: number) => {
    const { acting } = pinterestOf({ '/upload': answer(status, 'Policy expired.') });
    const done = { register: { media_id: 'm', upload_url: 'https://up.test/upload', upload_parameters: {} } };
    const post = postOf({ media: [{ ref: 'v', kind: 'video' }] });
    const open = async () => opened(Buffer.from('film'), 'video/mp4');
    const call = { ...acting, open, post, done } as unknown as PublishCall;
    return pinterest.posts!.publish.run(call, 'upload').catch((error: unknown) => error);
  };
  expect(await uploaded(403)).toMatchObject({ kind: 'refused', spent: true, status: 403 });
  expect(await uploaded(503)).toMatchObject({ kind: 'unknown', status: 503 });
  const post = postOf({ media: [{ ref: 'v', kind: 'video' }] });
  const upload = pinterest.posts!.publish.steps(post).find(({ name }) => name === 'upload');
  expect(upload).toMatchObject({ redo: ['register'] });
});

it('a pin without words is found by its alternative text, and is no other pin without words', async () => {
  const pin = (id: string, alt_text: string | null) => ({ id, created_at: '2026-01-01T00:00:00', alt_text });
  const settled = (alt_text: string | undefined, ...items: readonly object[]) => {
    const { acting } = pinterestOf({ '/v5/boards/b/pins': ok({ items, bookmark: null }) });
    const done = { board: { asked_at: Date.UTC(2026, 0, 1) } };
    const post = postOf({ text: '', board_id: 'b', options: { alt_text } });
    const call = { ...acting, post, done, sentAt: 0 } as unknown as LookupCall;
    return pinterest.posts!.publish.settle!(call, 'pin');
  };
  const [bread, other] = [pin('1', 'Bread'), pin('2', 'Another')];
  expect(await settled('Bread', other, bread)).toEqual({ made: { id: '1' } });
  expect(await settled('Bread', other)).toBe('unknown');
  expect(await settled(undefined, other)).toBe('unknown');
});
