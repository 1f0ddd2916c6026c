import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Caller } from '#call/caller.ts';
import { authorityOver } from '#kernel/authority.ts';
import type { AnyTool } from '#call/tool.ts';
import { makeUsage } from '#engine/metering/index.ts';
import type { PlanTier } from '#kernel/plans.ts';
import type { Scope } from '#kernel/scopes.ts';
import { makeInvoke } from '#serve/invoke.ts';
import { media as mediaTools } from '#tools/media/index.ts';
import { describeStores } from '../../harness/stores/stores.ts';
import { gif, pieces, png } from '../../harness/media-samples.ts';
import { freely } from '../../harness/toys.ts';
import { makeWorld, START, tokenOf, usePost, type World } from '../../harness/worlds/media.ts';

const quiet = { debug() {}, info() {}, warn() {}, error() {}, served() {}, child: () => quiet };

function caller({ owner }: World, scopes: readonly Scope[] = [], brands: readonly string[] = []): Caller {
  const workspace = { id: owner.id, plan: owner.plan, createdAt: START, blockedAt: undefined, timezone: 'UTC' };
  const authority = authorityOver(owner.id, { scopes, brands });
  return { kind: 'key', id: 'key_1', name: 'k', userId: 'usr_1', workspace, authority };
}

/** Calls operations through the one path of a call, answers checked against their schemas. */
function callerOf(world: World, as: Caller = caller(world)) {
  const invoke = makeInvoke({
    modules: { media: world.media },
    log: quiet,
    meterHeaders: makeUsage({ ...world, pagesCount: false }).headers,
    ...freely,
    checkOutput: true,
  });
  const disconnectSignal = () => new AbortController().signal;
  const invocation = { facade: 'rest', caller: as, requestId: 'r', disconnectSignal, progress: () => {} } as const;
  return async (name: string, input: object = {}) => {
    const tool = mediaTools.tools.find((candidate) => candidate.name === name) as AnyTool;
    const outcome = await invoke(tool, input, invocation);
    const body = outcome.body as Record<string, unknown> & { error?: { code: string; meta?: object } };
    return { status: outcome.status, headers: outcome.headers, body, code: body.error?.code, meta: body.error?.meta };
  };
}

describe('media toolset', () => {
  it('holds the six operations', () => {
    expect(mediaTools.tools.map(({ name, http }) => `${name} ${http.method} ${http.path}`)).toEqual([
      'list_media GET /media',
      'get_storage_usage GET /media/storage',
      'get_media_upload_url GET /media/upload-url',
      'upload_media POST /media/upload',
      'verify_media_upload POST /media/{media_id}/verify',
      'delete_media DELETE /media/{media_id}',
    ]);
  });

  it('describes every input, the file as binary', () => {
    for (const tool of mediaTools.tools) {
      const schema = z.toJSONSchema(tool.input as z.ZodObject, { unrepresentable: 'any', io: 'input' });
      for (const [name, field] of Object.entries(schema.properties ?? {}))
        expect(field, `${tool.name}.${name}`).toMatchObject({ description: expect.any(String) as string });
    }
    const upload = z.toJSONSchema(mediaTools.tools[3]!.input as z.ZodObject, { unrepresentable: 'any' });
    expect(upload.properties!['file']).toMatchObject({ type: 'string', format: 'binary' });
  });
});

describeStores('media operations', { kinds: ['memory'] }, ({ open }) => {
  const world = async (plan: PlanTier = 'enterprise') => makeWorld(await open(), { plan });

  it('uploads a file part and lists it', async () => {
    const call = callerOf(await world());
    const up = await call('upload_media', { file: pieces(gif()), filename: 'a.gif', content_type: 'text/html' });
    const shown = { filename: 'a.gif', content_type: 'image/gif', status: 'ready' };
    expect(up).toMatchObject({ status: 201, body: shown });
    expect(up.body['media_id']).toBe(up.body['id']);
    expect(up.headers).toEqual({});
    await call('upload_media', { base64: png().toString('base64') });
    const list = await call('list_media', { limit: 1 });
    const begun = { has_more: true, limit: 1, next_cursor: list.body['next_cursor'] };
    expect(list.body).toMatchObject({ count: 2, data: [{ content_type: 'image/png' }], pagination: begun });
    const rest = await call('list_media', { limit: 500, cursor: list.body['next_cursor'] });
    const ended = { has_more: false, next_cursor: '', limit: 100 };
    expect(rest.body).toMatchObject({ data: [{ id: up.body['id'] }], pagination: ended, next_cursor: '' });
    expect((await call('list_media')).body).toMatchObject({ pagination: { limit: 50 } });
  });

  it('refuses bad input by field', async () => {
    const invalid = (field: string) => ({ code: 'validation.field_invalid', meta: { field } });
    const required = (field: string) => ({ code: 'validation.field_required', meta: { field } });
    const call = callerOf(await world());
    expect(await call('list_media', { limit: 0 })).toMatchObject({ status: 400, meta: { field: 'limit' } });
    expect(await call('list_media', { cursor: 'x' })).toMatchObject(invalid('cursor'));
    expect(await call('upload_media', {})).toMatchObject(required('file'));
    expect(await call('upload_media', { file: 'text' })).toMatchObject(invalid('file'));
    expect(await call('get_media_upload_url', { filename: 'a' })).toMatchObject(required('media_type'));
    expect(await call('get_media_upload_url', { media_type: 'image/png' })).toMatchObject(required('filename'));
    const html = await call('get_media_upload_url', { media_type: 'text/html', filename: 'a' });
    expect(html).toMatchObject({ status: 400, code: 'validation.field_invalid' });
  });

  it('uploads in two steps, by either name of the type', async () => {
    const there = await world('free');
    const call = callerOf(there);
    const address = await call('get_media_upload_url', { content_type: 'image/png', filename: 'a.png' });
    const headers = { 'X-Storage-Used': '0', 'X-Storage-Limit': '104857600' };
    expect(address).toMatchObject({ status: 200, headers });
    const media_id = address.body['media_id'];
    expect(await call('verify_media_upload', { media_id })).toMatchObject({ status: 400, code: 'media.not_ready' });
    await there.media.put(tokenOf(String(address.body['upload_url'])), pieces(png()));
    const verified = await call('verify_media_upload', { media_id });
    const body = { success: true, media_id, id: media_id, status: 'ready' };
    expect(verified).toMatchObject({ status: 200, body, headers: { 'X-Storage-Used': String(png().byteLength) } });
    const none = await call('verify_media_upload', { media_id: 'med_none' });
    expect(none).toMatchObject({ status: 404, code: 'media.not_found' });
  });

  it('reports the storage on every plan, and in headers where it is limited', async () => {
    const paid = await callerOf(await world())('get_storage_usage');
    expect(paid).toMatchObject({ body: { used_bytes: 0, limit_bytes: -1, count: 0 } });
    expect(paid.headers).toEqual({});
    const there = await world('free');
    const call = callerOf(there);
    await there.store.write(({ db }) => db.updateTable('workspaces').set({ storage_bytes: 104_857_600 }).execute());
    const full = { status: 413, code: 'billing.storage_quota', meta: { plan: 'free', max: 104_857_600 } };
    expect(await call('upload_media', { file: pieces(gif()) })).toMatchObject(full);
    expect(await call('get_media_upload_url', { media_type: 'image/png', filename: 'a' })).toMatchObject(full);
  });

  it('deletes what no post uses', async () => {
    const there = await world();
    const call = callerOf(there);
    const { body } = await call('upload_media', { file: pieces(gif()) });
    const media_id = String(body['id']);
    const post_id = await usePost(there, media_id);
    const inUse = { status: 409, code: 'media.in_use', meta: { post_id } };
    expect(await call('delete_media', { media_id })).toMatchObject(inUse);
    await there.store.write(({ db }) => db.deleteFrom('posts').execute());
    expect((await call('delete_media', { media_id })).body).toEqual({ success: true, ok: true, id: media_id });
    expect(await call('delete_media', { media_id })).toMatchObject({ status: 404, code: 'media.not_found' });
  });

  it('asks for the media scopes, and shares media with keys of single brands', async () => {
    const there = await world();
    const reading = callerOf(there, caller(there, ['media:read']));
    expect(await reading('list_media')).toMatchObject({ status: 200 });
    for (const name of ['get_media_upload_url', 'upload_media', 'verify_media_upload', 'delete_media'])
      expect(await reading(name)).toMatchObject({ status: 403, meta: { required_scope: 'media:write' } });
    const branded = callerOf(there, caller(there, [], ['brd_1']));
    await branded('upload_media', { file: pieces(gif()) });
    expect((await branded('list_media')).body).toMatchObject({ count: 1 });
  });
});
