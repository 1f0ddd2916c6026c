import { HOUR } from '#kernel/clock.ts';
import { createServer } from 'node:http';
import { readdirSync, utimesSync, writeFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { inspect } from '#engine/media/content/content.ts';
import { authorityOver } from '#kernel/authority.ts';
import type { Store } from '#db/store/open.ts';
import { describeStores, type Stores } from '../../harness/stores/stores.ts';
import { serveTest } from '../../harness/sockets.ts';
import { gif, html, jpeg, mp4, pdf, pieces, png, svg, wav } from '../../harness/media-samples.ts';
import {
  addressIn,
  addWorkspace,
  makeWorld as makeAnyWorld,
  START,
  tokenOf,
  usePost,
  type Shelf,
  type World,
} from '../../harness/worlds/media.ts';

const INVALID = 'validation.field_invalid';
/** The storage of the Free plan. */
const FREE = 104_857_600;

/** The end of a step that is long past. */
const over = Promise.resolve();

/** The work must be refused with a code, and with what the error tells besides where that is given. */
const expectRefusal = (work: Promise<unknown>, code: string, meta?: object) =>
  expect(work).rejects.toMatchObject({ code, ...(meta && { detail: { meta } }) });

/** A web server on loopback that answers every path from a table. */
function serve(
  answers: Readonly<Record<string, { status?: number; body?: Uint8Array; headers?: Record<string, string> }>>,
) {
  const server = createServer((request, response) => {
    const found = answers[request.url!] ?? { status: 404 };
    response.writeHead(found.status ?? 200, found.headers ?? {}).end(found.body ?? '');
  });
  return serveTest(server);
}

const upload = ({ media, owner }: World, bytes: Uint8Array, filename = 'a.png') =>
  media.upload(owner, { file: pieces(bytes), filename });

const fill = ({ store }: World, storage_bytes: number) =>
  store.write(({ db }) => db.updateTable('workspaces').set({ storage_bytes }).execute());

/** The row of the workspace: what its items weigh, and what those hold that are pending. */
const held = ({ store }: World) => store.db.selectFrom('workspaces').selectAll().executeTakeFirstOrThrow();

/** A reference to an item. */
const stored = (source: string) => ({ source, source_type: 'media_id' }) as const;

async function pending(world: World, bytes: Uint8Array, media_type = 'image/png') {
  const address = await addressIn(world, { media_type });
  await world.media.put(address.token, pieces(bytes));
  return address.media_id;
}

/** A pending item with bytes that are not of its type, as an older version took them. */
async function mistaken(world: World) {
  const id = await pending(world, gif(), 'image/gif');
  await world.store.write(({ db }) =>
    db.updateTable('media').set({ content_type: 'image/png' }).where('id', '=', id).execute(),
  );
  return id;
}

for (const shelf of ['disk', 'bucket'] as const) {
  const tests = (stores: Stores) => roomTests(shelf, stores);
  describeStores(`media room on a ${shelf}`, shelf === 'disk' ? {} : { kinds: ['memory'] }, tests);
}

function roomTests(shelf: Shelf, { open, kind }: Stores): void {
  const it = test.extend('world', async () => makeWorld(await open()));

  const makeWorld = (store: Store, options: Parameters<typeof makeAnyWorld>[1] = {}) =>
    makeAnyWorld(store, { shelf, ...options });

  describe('upload', () => {
    it('stores bytes, fields and storage together', async ({ world }) => {
      const bytes = png(30, 20, 5000);
      const item = await upload(world, bytes, '/home/me/cat.png');
      const picture = { content_type: 'image/png', width: 30, height: 20, duration_ms: null };
      const file = { filename: 'cat.png', size_bytes: bytes.byteLength, created_at: '2026-11-21T09:00:00.000Z' };
      expect(item).toMatchObject({ ...picture, ...file, status: 'ready' });
      expect(await world.used()).toBe(bytes.byteLength);
      const opened = await world.media.open(world.owner.id, item.id, { until: over });
      expect(Buffer.from(await opened.bytes()).equals(bytes)).toBe(true);
      expect(world.files()).toEqual([item.id]);
    });

    it('refuses what is over the cap, and leaves nothing', async () => {
      const world = await makeWorld(await open(), { maxBytes: 2000 });
      await expectRefusal(upload(world, png(1, 1, 3000)), 'http.413');
      expect(world.files()).toEqual([]);
      expect(await world.used()).toBe(0);
    });

    it('leaves nothing when the sender goes away', async ({ world }) => {
      async function* broken() {
        yield png(1, 1, 3000).subarray(0, 1000);
        throw new Error('gone');
      }
      await expect(world.media.upload(world.owner, { file: broken() })).rejects.toThrow('gone');
      expect(world.files()).toEqual([]);
    });

    it('takes the last byte of the plan and not one more', async () => {
      const world = await makeWorld(await open(), { plan: 'free' });
      const bytes = png(1, 1, 100);
      await fill(world, FREE - bytes.byteLength + 1);
      await expectRefusal(upload(world, bytes), 'billing.storage_quota', { plan: 'free', max: FREE });
      expect(world.files()).toEqual([]);
      await fill(world, FREE - bytes.byteLength);
      await upload(world, bytes);
      expect(await world.used()).toBe(FREE);
      expect(await world.media.storage(world.authority)).toEqual({ used_bytes: FREE, limit_bytes: FREE, count: 1 });
    });

    it('lets concurrent uploads share what is left', async () => {
      const world = await makeWorld(await open(), { plan: 'free' });
      const bytes = png(1, 1, 100);
      await fill(world, FREE - bytes.byteLength * 2);
      const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => upload(world, bytes)));
      expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(2);
      expect(world.files()).toHaveLength(2);
      expect(await world.used()).toBe(FREE);
    });

    it('asks for exactly one source', async ({ world: { media, owner } }) => {
      await expectRefusal(media.upload(owner, {}), 'validation.field_required');
      await expectRefusal(media.upload(owner, { url: 'https://a.example/x', base64: 'AAAA' }), INVALID);
    });

    it('reads base64, in a data URL too, up to 2 MiB', async ({ world: { media, owner } }) => {
      const text = gif().toString('base64');
      const named = { content_type: 'image/gif', filename: 'upload.gif' };
      expect(await media.upload(owner, { base64: text })).toMatchObject(named);
      const dataUrl = { base64: `data:image/gif;base64,${text}`, filename: 'x.gif' };
      expect(await media.upload(owner, dataUrl)).toMatchObject({ width: 5 });
      await expectRefusal(media.upload(owner, { base64: 'not base64!' }), INVALID);
      const large = png(1, 1, 2_097_152).toString('base64');
      await expect(media.upload(owner, { base64: large })).rejects.toThrow(/at most 2 MiB/);
    });

    it('fetches a URL, through redirects, typed by content', async ({ world }) => {
      const root = await serve({
        '/go': { status: 302, headers: { location: '/pics/k%C3%A4tzchen.png?x=1' } },
        '/pics/k%C3%A4tzchen.png?x=1': { body: png(9, 8), headers: { 'content-type': 'text/html' } },
        '/page': { body: html, headers: { 'content-type': 'image/png' } },
      });
      const direct = await world.media.upload(world.owner, { url: `${root}/pics/k%C3%A4tzchen.png?x=1` });
      expect(direct).toMatchObject({ filename: 'kätzchen.png', content_type: 'image/png', width: 9 });
      expect(await world.media.upload(world.owner, { url: `${root}/go` })).toMatchObject({ width: 9 });
      await expectRefusal(world.media.upload(world.owner, { url: `${root}/page` }), INVALID);
      const none = world.media.upload(world.owner, { url: `${root}/none` });
      await expect(none).rejects.toThrow(`url: ${root}/none answers with status 404`);
      expect(world.files()).toHaveLength(2);
    });

    it('does not fetch from inside, nor more than the cap', async () => {
      const root = await serve({ '/big.png': { body: png(1, 1, 5000) } });
      const guarded = await makeWorld(await open(), { allowPrivate: 'off' });
      const inside = guarded.media.upload(guarded.owner, { url: `${root}/big.png` });
      await expectRefusal(inside, INVALID, { field: 'url' });
      await expectRefusal(guarded.media.upload(guarded.owner, { url: 'file:///etc/passwd' }), INVALID);
      const small = await makeWorld(await open(), { maxBytes: 1000 });
      await expectRefusal(small.media.upload(small.owner, { url: `${root}/big.png` }), 'http.413');
      expect(small.files()).toEqual([]);
    });
  });

  describe('upload address', () => {
    it('takes one PUT and is ready after verify', async ({ world }) => {
      const { media, owner } = world;
      const bytes = png(4, 3);
      const address = await addressIn(world, { media_type: 'image/PNG; q=1' });
      expect(address.expires_at).toBe('2026-11-21T09:15:00.000Z');
      await expectRefusal(media.verify(owner, address.media_id), 'media.not_ready');
      expect((await media.list(world.authority, { limit: 10 })).count).toBe(0);
      const sent = await media.put(address.token, pieces(bytes), { declared: bytes.byteLength });
      expect(sent).toEqual({ media_id: address.media_id, size_bytes: bytes.byteLength });
      expect(await world.used()).toBe(0);
      await expectRefusal(media.put(address.token, pieces(png(9, 9))), 'resource.conflict');
      const item = await media.verify(owner, address.media_id);
      expect(item).toMatchObject({ id: address.media_id, status: 'ready', width: 4, size_bytes: bytes.byteLength });
      expect(await media.verify(owner, address.media_id)).toEqual(item);
      expect(await world.used()).toBe(bytes.byteLength);
      expect(world.files()).toEqual([address.media_id]);
    });

    it('lets one of two racing PUTs win', async ({ world }) => {
      const address = await addressIn(world);
      const puts = [1, 2, 3].map((n) => world.media.put(address.token, pieces(png(n, n))));
      const outcomes = await Promise.allSettled(puts);
      const won = outcomes.flatMap((outcome, index) => (outcome.status === 'fulfilled' ? [index + 1] : []));
      expect(won).toHaveLength(1);
      expect(await world.media.verify(world.owner, address.media_id)).toMatchObject({ width: won[0] });
      expect(world.files()).toEqual([address.media_id]);
    });

    it('charges once when verified twice at the same time', async ({ world }) => {
      const bytes = png();
      const id = await pending(world, bytes);
      const [one, two] = await Promise.all([world.media.verify(world.owner, id), world.media.verify(world.owner, id)]);
      expect(one).toEqual(two);
      expect(await world.used()).toBe(bytes.byteLength);
    });

    it('ends after 15 minutes, and does not open with a changed claim', async ({ world }) => {
      const address = await addressIn(world);
      const [claims, signature] = address.token.split('.');
      const forged = JSON.parse(Buffer.from(claims!, 'base64url').toString()) as unknown[];
      forged[1] = START + 9 * HOUR;
      const changed = Buffer.from(JSON.stringify(forged)).toString('base64url');
      const shown = tokenOf(world.media.publicUrl({ id: address.media_id, filename: 'a' }));
      for (const bad of [`${changed}.${signature}`, `${claims}.`, claims!, '', 'x.y', shown])
        await expectRefusal(world.media.put(bad, pieces(png())), 'auth.invalid_secret');
      world.clock.move(15 * 60_000);
      await expectRefusal(world.media.put(address.token, pieces(png())), 'auth.invalid_secret');
      expect(world.files()).toEqual([]);
    });

    it('holds an upload to the size that was announced', async () => {
      const world = await makeWorld(await open(), { maxBytes: 10_000 });
      const address = await addressIn(world, { size_bytes: 500 });
      const put = (bytes: Uint8Array, declared?: number) => world.media.put(address.token, pieces(bytes), { declared });
      await expectRefusal(put(png(1, 1, 600), 700), 'http.413');
      await expectRefusal(put(png(1, 1, 600)), 'http.413');
      await expectRefusal(put(new Uint8Array()), 'validation.body_invalid');
      await put(png(1, 1, 10));
      await expectRefusal(addressIn(world, { size_bytes: 10_001 }), 'http.413');
    });

    it('refuses bytes of another type at once, and takes the right ones then', async ({ world }) => {
      for (const [media_type, wrong, why, right] of [
        ['image/png', gif(), 'The bytes are image/gif.', png()],
        ['image/png', svg, 'The file is application/xml', png()],
        ['video/mp4', wav, 'The bytes are audio/wav.', mp4()],
      ] as const) {
        const { token, media_id } = await addressIn(world, { media_type });
        const files = world.files();
        await expect(world.media.put(token, pieces(wrong), { declared: wrong.byteLength })).rejects.toMatchObject({
          code: INVALID,
          message: expect.stringContaining(`is for ${media_type}. ${why}`),
        });
        expect([world.files(), (await held(world)).pending_bytes]).toEqual([files, 0]);
        await world.media.put(token, pieces(right));
        expect(await world.media.verify(world.owner, media_id)).toMatchObject({ status: 'ready' });
      }
    });

    it('refuses a Content-Type of another type before a byte is read', async ({ world }) => {
      const { token } = await addressIn(world, { media_type: 'image/jpeg' });
      // oxlint-disable-next-line require-yield -- it is never asked for anything
      async function* unread(): AsyncGenerator<Uint8Array> {
        throw new Error('read');
      }
      for (const named of ['image/png', 'Text/HTML; charset=utf-8', 'multipart/form-data; boundary=x']) {
        const refused = world.media.put(token, unread(), { declared: 10, named });
        const bare = named.split(';')[0]!.toLowerCase();
        await expect(refused).rejects.toMatchObject({ code: INVALID, message: expect.stringContaining(bare) });
      }
      for (const named of ['image/jpeg', 'image/jpg', 'application/octet-stream', ''])
        await expect(world.media.put(token, unread(), { declared: 10, named })).rejects.toThrow('read');
    });

    it('fails an item whose bytes are of another type', async ({ world }) => {
      const id = await mistaken(world);
      await expectRefusal(world.media.verify(world.owner, id), INVALID);
      await expectRefusal(world.media.verify(world.owner, id), INVALID);
      const row = await world.store.db.selectFrom('media').select('status').where('id', '=', id).executeTakeFirst();
      expect(row?.status).toBe('failed');
      expect(world.files()).toEqual([]);
      expect(await world.used()).toBe(0);
    });

    it('counts what pending items hold, and gives it back however they end', async () => {
      const world = await makeWorld(await open(), { plan: 'free' });
      const bytes = png(1, 1, 400);
      const address = (size_bytes = bytes.byteLength, media_type = 'image/png') =>
        addressIn(world, { media_type, size_bytes });
      const first = await address();
      const second = await address();
      const third = await address(bytes.byteLength, 'image/gif');
      await fill(world, FREE - bytes.byteLength * 2);
      const put = (to: { token: string }, declared?: number) => world.media.put(to.token, pieces(bytes), { declared });
      await put(first, bytes.byteLength);
      await put(second);
      expect((await held(world)).pending_bytes).toBe(bytes.byteLength * 2);
      await expectRefusal(put(third), 'billing.storage_quota');
      await expectRefusal(put(third, bytes.byteLength), 'billing.storage_quota');
      await expectRefusal(address(1), 'billing.storage_quota');
      await expectRefusal(upload(world, bytes), 'billing.storage_quota');
      expect(await world.media.storage(world.authority)).toMatchObject({ used_bytes: FREE - bytes.byteLength * 2 });

      await world.media.verify(world.owner, first.media_id);
      const half = { storage_bytes: FREE - bytes.byteLength, pending_bytes: bytes.byteLength };
      expect(await held(world)).toMatchObject(half);
      await world.media.remove(world.authority, second.media_id);
      expect((await held(world)).pending_bytes).toBe(0);
      await expectRefusal(put(third), INVALID);
      expect((await held(world)).pending_bytes).toBe(0);
      await put(await address());
      world.clock.move(25 * HOUR);
      await world.media.sweep();
      expect(await held(world)).toMatchObject({ storage_bytes: FREE - bytes.byteLength, pending_bytes: 0 });
    });

    it('gives back what a sender announced and did not send, or sent in vain', async ({ world }) => {
      const address = await addressIn(world);
      const put = (body: AsyncIterable<Uint8Array>, declared?: number) =>
        world.media.put(address.token, body, { declared });
      async function* broken() {
        yield png(1, 1, 3000).subarray(0, 1000);
        expect((await held(world)).pending_bytes).toBe(3000);
        throw new Error('gone');
      }
      await expect(put(broken(), 3000)).rejects.toThrow('gone');
      await expectRefusal(put(pieces(new Uint8Array()), 3000), 'validation.body_invalid');
      expect((await held(world)).pending_bytes).toBe(0);
      const bytes = png(1, 1, 100);
      await Promise.allSettled([put(pieces(bytes), 3000), put(pieces(bytes), 3000), put(pieces(bytes))]);
      expect((await held(world)).pending_bytes).toBe(bytes.byteLength);
      expect(world.files()).toHaveLength(1);
    });

    it('keeps no bytes that come for an item while it is removed', async ({ world }) => {
      const address = await addressIn(world);
      async function* slow() {
        yield png();
        await world.media.remove(world.authority, address.media_id);
      }
      await expectRefusal(world.media.put(address.token, slow()), 'media.not_found');
      expect(world.files()).toEqual([]);
    });

    it('limits what one workspace leaves unverified on a plan without a limit', async ({ world }) => {
      const address = await addressIn(world);
      await world.store.write(({ db }) => db.updateTable('workspaces').set({ pending_bytes: 2_147_483_648 }).execute());
      await expectRefusal(world.media.put(address.token, pieces(png())), 'billing.storage_quota');
      await expectRefusal(addressIn(world), 'billing.storage_quota');
      expect(await upload(world, png())).toMatchObject({ status: 'ready' });
    });

    it('stays pending when the storage is full, until there is room', async () => {
      const world = await makeWorld(await open(), { plan: 'free' });
      const id = await pending(world, png());
      await fill(world, FREE);
      await expectRefusal(world.media.verify(world.owner, id), 'billing.storage_quota');
      await expectRefusal(addressIn(world), 'billing.storage_quota');
      await fill(world, 0);
      expect(await world.media.verify(world.owner, id)).toMatchObject({ status: 'ready' });
    });

    it('refuses types that are not taken', async ({ world: { media, owner } }) => {
      const types = ['image/svg+xml', 'text/html', 'application/xml', 'nonsense', '__proto__', 'constructor'];
      for (const media_type of types)
        await expectRefusal(media.uploadUrl(owner, { media_type, filename: 'a' }), INVALID, { field: 'media_type' });
    });
  });

  describe('shelf', () => {
    it('pages through ready items, newest first', async ({ world }) => {
      const ids: string[] = [];
      for (let n = 0; n < 5; n += 1) {
        if (n % 2) world.clock.move(1000);
        ids.unshift((await upload(world, png(n + 1, 1))).id);
      }
      await pending(world, png());
      const seen: string[] = [];
      let cursor = '';
      do {
        const page = await world.media.list(world.authority, { limit: 2, cursor });
        expect(page.count).toBe(5);
        seen.push(...page.data.map((item) => item.id));
        cursor = page.next_cursor;
      } while (cursor !== '');
      expect(seen).toEqual(ids);
      await expectRefusal(world.media.list(world.authority, { limit: 2, cursor: 'nonsense' }), INVALID);
    });

    it('keeps workspaces apart', async ({ world }) => {
      const { id } = await upload(world, png());
      const waiting = await pending(world, png());
      const foreign = { id: await addWorkspace(world.store), plan: 'enterprise' } as const;
      const authority = authorityOver(foreign.id);
      expect(await world.media.list(authority, { limit: 10 })).toMatchObject({ data: [], count: 0 });
      expect(await world.media.storage(authority)).toEqual({ used_bytes: 0, limit_bytes: -1, count: 0 });
      await expectRefusal(world.media.verify(foreign, id), 'media.not_found');
      await expectRefusal(world.media.verify(foreign, waiting), 'media.not_found');
      await expectRefusal(world.media.remove(authority, id), 'media.not_found');
      await expectRefusal(world.media.open(foreign.id, id, { until: over }), 'media.not_found');
      await expectRefusal(world.media.describe(foreign.id, [stored(id)]), 'media.not_found');
    });

    it('removes what no post uses, and gives the storage back', async ({ world }) => {
      const kept = await upload(world, png());
      const removed = await upload(world, png(9, 9));
      const post_id = await usePost(world, kept.id);
      await expectRefusal(world.media.remove(world.authority, kept.id), 'media.in_use', { id: kept.id, post_id });
      await world.media.remove(world.authority, removed.id);
      await expectRefusal(world.media.remove(world.authority, removed.id), 'media.not_found');
      expect(await world.used()).toBe(kept.size_bytes);
      expect(world.files()).toEqual([kept.id]);
    });

    it('gives storage back once when removed twice at the same time', async ({ world }) => {
      const other = await upload(world, png());
      const { id } = await upload(world, png());
      const outcomes = await Promise.allSettled([1, 2, 3].map(() => world.media.remove(world.authority, id)));
      expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(1);
      expect(await world.used()).toBe(other.size_bytes);
    });

    it('reads by signed address for an hour', async ({ world }) => {
      const item = await upload(world, png(), 'ä b?.png');
      expect(item.url).toMatch(/^http:\/\/localhost:8080\/media\/[\w.-]+\/%C3%A4%20b%3F\.png$/);
      const file = await world.media.read(tokenOf(item.url));
      expect(file).toMatchObject({ content_type: 'image/png', size_bytes: item.size_bytes, inline: true });
      world.clock.move(HOUR);
      await expectRefusal(world.media.read(tokenOf(item.url)), 'auth.invalid_secret');
      const [fresh] = (await world.media.list(world.authority, { limit: 1 })).data;
      await world.media.remove(world.authority, item.id);
      await expectRefusal(world.media.read(tokenOf(fresh!.url)), 'media.not_found');
    });

    it.runIf(shelf === 'disk')('sweeps abandoned uploads, torn files and bytes without an item', async ({ world }) => {
      const kept = await upload(world, png());
      const abandoned = await pending(world, png());
      const folder = join(world.dataDir, 'media', 'zz');
      mkdirSync(folder, { recursive: true });
      const refused = await mistaken(world);
      await expectRefusal(world.media.verify(world.owner, refused), INVALID);
      mkdirSync(join(world.dataDir, 'media', refused.slice(-2)), { recursive: true });
      writeFileSync(join(world.dataDir, 'media', refused.slice(-2), refused), 'left by a crash');
      for (const name of ['med_orphanzz', 'med_tornzz.abc.part', 'med_freshzz']) writeFileSync(join(folder, name), 'x');
      // What others put among the media stays.
      mkdirSync(join(world.dataDir, 'media', 'lost+found'));
      writeFileSync(join(world.dataDir, 'media', 'lost+found', 'theirs'), 'x');
      for (const shard of readdirSync(join(world.dataDir, 'media'))) {
        for (const name of readdirSync(join(world.dataDir, 'media', shard))) {
          const at = (START + (name.startsWith('med_fresh') ? 24.5 : 0) * HOUR) / 1000;
          utimesSync(join(world.dataDir, 'media', shard, name), at, at);
        }
      }
      world.clock.move(24 * HOUR);
      expect(await world.media.sweep()).toEqual({ pending: 0, orphans: 0 });
      world.clock.move(1);
      expect(await world.media.sweep()).toEqual({ pending: 1, orphans: 3 });
      expect(world.files().sort()).toEqual([kept.id, 'med_freshzz', 'theirs'].sort());
      await expectRefusal(world.media.verify(world.owner, abandoned), 'media.not_found');
      const opened = await world.media.open(world.owner.id, kept.id, { until: over });
      expect(opened).toMatchObject({ content_type: 'image/png' });
    });

    it.runIf(kind === 'postgres')('waits for a post that is just beginning to use an item', async ({ world }) => {
      for (let round = 0; round < 10; round += 1) {
        const { id } = await upload(world, png());
        const [used, removed] = await Promise.allSettled([usePost(world, id), world.media.remove(world.authority, id)]);
        const left = await world.store.db.selectFrom('post_media').where('media_id', '=', id).selectAll().execute();
        expect(used.status).not.toBe(removed.status);
        expect(left).toHaveLength(used.status === 'fulfilled' ? 1 : 0);
      }
    });
  });

  describe('media of posts', () => {
    it('describes stored items and refuses unknown and unready ones', async ({ world }) => {
      const { media, owner } = world;
      const image = await upload(world, png(4, 2));
      const film = await upload(world, mp4(), 'film.mp4');
      const refs = [film, image, film].map(({ id }) => stored(id));
      const facts = await media.describe(owner.id, refs);
      expect(facts.map((fact) => fact.ref)).toEqual([film.id, image.id, film.id]);
      expect(facts.slice(0, 2)).toMatchObject([
        { kind: 'video', content_type: 'video/mp4', width: 640, duration_ms: 2500, filename: 'film.mp4' },
        { kind: 'image', size_bytes: image.size_bytes, height: 2, duration_ms: undefined },
      ]);
      const waiting = await pending(world, png());
      await expectRefusal(media.describe(owner.id, [stored(waiting)]), 'media.not_ready');
      await expectRefusal(media.open(owner.id, waiting, { until: over }), 'media.not_ready');
      const none = media.describe(owner.id, [stored('med_none')]);
      await expectRefusal(none, 'media.not_found', { resource: 'media', id: 'med_none' });
    });

    it('looks up each of many, and refuses those that are no good in their places', async ({ world }) => {
      const { id } = await upload(world, png());
      const waiting = await pending(world, png());
      const refs = [...['med_none', id, waiting].map(stored), { source: 'ftp://a.test', source_type: 'url' } as const];
      const found = await world.media.lookUp(world.owner.id, refs);
      expect(found).toEqual([
        expect.objectContaining({ code: 'media.not_found' }),
        expect.objectContaining({ ref: id, kind: 'image' }),
        expect.objectContaining({ code: 'media.not_ready' }),
        expect.objectContaining({ code: INVALID }),
      ]);
    });

    it('believes a URL until it is opened', async ({ world }) => {
      const root = await serve({ '/a.mov': { body: mp4({ ms: 900 }) }, '/evil.png': { body: svg } });
      const describe = (source: string, type?: 'video') =>
        world.media.describe(world.owner.id, [{ source, source_type: 'url', type }]);
      expect(await describe(`${root}/a.mov`)).toEqual([{ ref: `${root}/a.mov`, kind: 'video', filename: 'a.mov' }]);
      expect(await describe(`${root}/`, 'video')).toMatchObject([{ kind: 'video' }]);
      const { promise: until, resolve: end } = Promise.withResolvers<void>();
      const opened = await world.media.open(world.owner.id, `${root}/a.mov`, { until });
      expect(opened).toMatchObject({ content_type: 'video/mp4', duration_ms: 900, filename: 'a.mov' });
      await expectRefusal(world.media.open(world.owner.id, `${root}/evil.png`, { until }), INVALID);
      expect(world.files()).toHaveLength(2);
      end();
      while (world.files().length > 0) await turn();
      for (const bad of ['ftp://a.example/x', 'javascript:alert(1)', 'med_1', '']) {
        await expectRefusal(describe(bad), INVALID);
      }
    });

    it('fetches the file of a URL once for a target, and keeps it until the target is over', async ({ world }) => {
      const bytes = png(4, 4, 40_000);
      const answers: Record<string, { body: Uint8Array }> = { '/a.png': { body: bytes } };
      const root = await serve(answers);
      const hold = { until: over, target: 'tgt_1' };
      const ref = `${root}/a.png`;
      await world.media.open(world.owner.id, ref, hold);
      delete answers['/a.png'];
      // Another process, or another try, finds the same bytes.
      const opened = await world.another({}).open(world.owner.id, ref, hold);
      expect(opened).toMatchObject({ size: bytes.byteLength, content_type: 'image/png', width: 4 });
      const part = Buffer.from(await opened.read(1000, 20));
      const streamed = Buffer.concat((await opened.stream(1000, 1019).toArray()) as Buffer[]);
      expect([part, streamed]).toEqual([bytes.subarray(1000, 1020), bytes.subarray(1000, 1020)]);
      expect(await opened.read(bytes.byteLength - 3, 20)).toHaveLength(3);
      expect(Buffer.concat((await opened.stream().toArray()) as Buffer[]).equals(bytes)).toBe(true);
      expect(world.files()).toHaveLength(1);
      await world.media.forget('tgt_1');
      expect(world.files()).toEqual([]);
    });

    it('removes what a crash left of targets that are over, and of calls, after an hour', async ({ world }) => {
      const spool = join(world.dataDir, 'spool/media');
      for (const owner of ['tgt_over', 'tgt_just_over', 'call-old', 'call-new']) {
        mkdirSync(join(spool, owner), { recursive: true });
        writeFileSync(join(spool, owner, owner), 'x');
      }
      const at = (ms: number) => new Date(world.clock.now() + ms);
      for (const old of ['tgt_over', 'call-old']) utimesSync(join(spool, old), at(-HOUR - 1), at(-HOUR - 1));
      for (const young of ['tgt_just_over', 'call-new']) utimesSync(join(spool, young), at(-HOUR), at(-HOUR));
      await world.media.sweepSpool();
      expect(world.files().toSorted()).toEqual(['call-new', 'tgt_just_over']);
    });

    it('keeps what a platform may fetch after the post is published', async () => {
      const world = await makeWorld(await open());
      const host = await serveTest(createServer((_, response) => response.end(png(4, 3, 100))));
      const request = { minutes: 5, rehost: true, lasting: true, network: 'real', target: 'tgt_1' } as const;
      await world.media.link(world.owner.id, host, request);
      await world.media.forget('tgt_1');
      expect(world.files()).toHaveLength(1);
      world.clock.move(HOUR);
      await world.media.forget('tgt_1');
      expect(world.files()).toEqual([]);
    });

    it('refuses an address inside before anything is fetched', async () => {
      const world = await makeWorld(await open(), { allowPrivate: 'off' });
      const sources = ['http://127.0.0.1/a.png', 'http://localhost/a.png', 'http://[::1]/', 'http://169.254.169.254/'];
      for (const source of sources) {
        await expectRefusal(world.media.describe(world.owner.id, [{ source, source_type: 'url' }]), INVALID);
      }
    });

    it('passes attachments of the platform on, when their type is said', async ({ world: { media, owner } }) => {
      const ref = { source: '17', source_type: 'platform_attachment_id' } as const;
      expect(await media.describe(owner.id, [{ ...ref, type: 'image' }])).toEqual([{ ref: '17', kind: 'image' }]);
      await expectRefusal(media.describe(owner.id, [ref]), 'validation.field_required');
    });
  });
}

describeStores('media types', { kinds: ['memory'] }, ({ open }) => {
  const it = test.extend('world', async () => makeAnyWorld(await open()));

  const turned = { handler: 'vide', width: 640, height: 360, turned: true } as const;
  it.for([
    ['image/png', png(7, 8), { width: 7, height: 8 }],
    ['image/gif', gif(7, 8), { width: 7, height: 8 }],
    ['image/jpeg', jpeg(70, 80), { width: 70, height: 80 }],
    ['image/jpeg', jpeg(70, 80, 6), { width: 80, height: 70 }],
    ['video/mp4', mp4({ ms: 61_500 }), { duration_ms: 61_500, width: 640, height: 360 }],
    ['video/mp4', mp4({ tracks: [{ handler: 'soun' }, turned] }), { width: 360, height: 640 }],
    ['video/quicktime', mp4({ brand: 'qt  ' }), { width: 640 }],
    ['audio/mp4', mp4({ tracks: [{ handler: 'soun' }] }), { width: null, duration_ms: 2500 }],
    ['video/mp4', mp4().subarray(0, 600), { width: null, duration_ms: null }],
    ['audio/wav', wav, { width: null }],
    ['application/pdf', pdf, { width: null }],
  ] as const)('knows %s by its bytes', async ([type, bytes, facts], { world }) => {
    expect(await upload(world, bytes, 'misleading.html')).toMatchObject({ content_type: type, ...facts });
  });

  it.for([
    ['SVG', svg],
    ['HTML', html],
    ['text', Buffer.from('hello')],
    ['nothing', Buffer.alloc(0)],
    ['a PNG without a header', png().subarray(0, 12)],
    ['a ZIP', Buffer.from('504b03040a0000000000', 'hex')],
    ['more than 100 million pixels', png(20_000, 5_001)],
  ] as const)('refuses %s', async ([, bytes], { world }) => {
    await expectRefusal(upload(world, bytes), INVALID, { field: 'file' });
    expect(world.files()).toEqual([]);
  });

  it('survives files whose boxes lie about their size', async ({ world }) => {
    const moov = mp4().indexOf('moov');
    for (const size of [0, 1, 7, 8, 0xffff_ffff]) {
      const bytes = mp4();
      bytes.writeUInt32BE(size, moov - 4);
      expect(await upload(world, bytes)).toMatchObject({ content_type: 'video/mp4' });
    }
  });

  it('answers for whatever the bytes are', async () => {
    const samples = [png(), gif(), jpeg(3, 4), mp4(), wav, pdf, svg];
    const change = fc.record({ at: fc.nat(800), byte: fc.nat(255) });
    const mutated = fc.tuple(fc.constantFrom(...samples), fc.array(change, { maxLength: 6 }), fc.nat(5000));
    await fc.assert(
      fc.asyncProperty(mutated, async ([sample, changes, length]) => {
        const bytes = Uint8Array.from(sample.subarray(0, length));
        for (const { at, byte } of changes) if (at < bytes.byteLength) bytes[at] = byte;
        const read = async (from: number, count: number) => bytes.subarray(from, from + count);
        const seen = await inspect({ size: bytes.byteLength, read });
        expect('fields' in seen || seen.refused.length > 0).toBe(true);
      }),
      { numRuns: 400 },
    );
  });

  it('cleans file names', async ({ world }) => {
    const named = async (name: string) => (await upload(world, gif(), name)).filename;
    expect(await named('..\\..\\x/../photo.gif')).toBe('photo.gif');
    expect(await named('..')).toBe('upload.gif');
    expect(await named('evil\u202egpj.exe\u0000\r\n')).toBe('evilgpj.exe');
    expect(await named('\ud800')).toBe('\ufffd');
    expect((await named('é'.repeat(300))).length).toBe(255);
  });
});
