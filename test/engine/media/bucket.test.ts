import { HOUR } from '#kernel/clock.ts';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import { makeBucket, StorageError, type Bucket } from '#engine/media/storage/bucket.ts';
import { readListing } from '#engine/media/storage/listing.ts';
import { openMediaFiles } from '#engine/media/storage/open-files.ts';
import { localFiles } from '#engine/media/storage/local-files.ts';
import { makeLog } from '#kernel/log.ts';
import { makeOutbound } from '#kernel/net/request.ts';
import { sha256 } from '#kernel/sign.ts';
import { startS3, type Fault, type S3 } from '../../harness/s3.ts';
import { describeStores } from '../../harness/stores/stores.ts';
import { bareTiff, cameraJpeg, exifSegment, jpegOf } from '../../harness/camera-samples.ts';
import { pieces, png } from '../../harness/media-samples.ts';
import { addressIn, addWorkspace, makeWorld, START, tokenOf } from '../../harness/worlds/media.ts';
import { attemptFailureOf } from '#engine/publishing/attempt/failures.ts';

const UNAVAILABLE = expect.objectContaining({ code: 'http.503', status: 503, refused: false });
const REFUSED = expect.objectContaining({ code: 'http.503', refused: true });

/** A clock whose timers fire at once, and that counts what was waited for. */
function quickClock() {
  const waits: number[] = [];
  const after = (ms: number, fn: () => void) => {
    waits.push(ms);
    const timer = setImmediate(fn);
    return () => clearImmediate(timer);
  };
  return { now: () => START, after, waits };
}

type ClientOptions = Readonly<{ settings?: Partial<S3['settings']>; deadlineMs?: number }>;

function clientOf(s3: S3, { settings = {}, deadlineMs }: ClientOptions = {}) {
  const outbound = makeOutbound({
    allowPrivate: 'off',
    ownPort: () => undefined,
    trustedOrigins: () => [new URL(s3.settings.url).origin],
    userAgent: 'test',
  });
  onTestFinished(() => outbound.close());
  const clock = quickClock();
  const bucket = makeBucket({ settings: { ...s3.settings, ...settings }, outbound, clock, deadlineMs });
  return { bucket, waits: clock.waits, outbound };
}

/** A storage of its own, and a client of it. */
async function openBucket(options?: ClientOptions) {
  const s3 = await startS3({ now: () => START });
  return { s3, ...clientOf(s3, options) };
}

/** Sends bytes as a stream, as files are sent. */
function put(bucket: Bucket, key: string, bytes: Buffer): Promise<void> {
  const body = () => Readable.from(pieces(bytes, 1000), { objectMode: false });
  return bucket.put(key, { size: bytes.byteLength, sha256: sha256(bytes), body });
}

const text = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString();

describe('a bucket', () => {
  it.each([true, false])('puts, reads, measures and removes objects (path style: %s)', async (pathStyle) => {
    const s3 = await startS3({ now: () => START, pathStyle });
    const { bucket } = clientOf(s3);
    const bytes = Buffer.from('0123456789'.repeat(500));
    await put(bucket, 'media/med_a/1', bytes);
    expect(s3.objects.get('media/med_a/1')?.bytes.equals(bytes)).toBe(true);
    expect(await bucket.size('media/med_a/1')).toBe(5000);
    const part = await bucket.get('media/med_a/1', 4998, 100);
    expect([text(part?.bytes), part?.size]).toEqual(['89', 5000]);
    expect(text((await bucket.get('media/med_a/1', 1, 3))?.bytes)).toBe('123');
    await bucket.remove('media/med_a/1');
    await bucket.remove('media/med_a/1');
    expect(await bucket.size('media/med_a/1')).toBe(undefined);
    expect(await bucket.get('media/med_a/1', 0, 9)).toBe(undefined);
  });

  it('lists page by page, and reads what XML makes of a name', async () => {
    const s3 = await startS3({ now: () => START, perPage: 2 });
    const { bucket } = clientOf(s3);
    for (const key of ['media/a', 'media/b&<c>', 'media/c', 'media/d', 'media/e', 'other'])
      s3.objects.set(key, { bytes: Buffer.from('x'), changed: START });
    const pages: string[][] = [];
    for await (const page of bucket.list('media/')) pages.push(page.map(({ key }) => key));
    expect(pages).toEqual([['media/a', 'media/b&<c>'], ['media/c', 'media/d'], ['media/e']]);
    const none: unknown[] = [];
    for await (const page of bucket.list('nothing/')) none.push(...page);
    expect(none).toEqual([]);
  });

  it.each([
    ['an error', { status: 500, code: 'InternalError' }],
    ['too many requests', { status: 503, code: 'SlowDown' }],
    ['a closed connection', 'reset'],
    ['an answer lost after the effect', 'lost'],
  ] as const)('is asked again after %s, with the whole body', async (_name, fault) => {
    const { s3, bucket, waits } = await openBucket();
    const bytes = Buffer.alloc(200_000, 'ab');
    s3.faults.push(fault, fault);
    await put(bucket, 'media/x', bytes);
    expect(s3.objects.get('media/x')?.bytes.equals(bytes)).toBe(true);
    s3.faults.push(fault);
    expect((await bucket.get('media/x', 0, 10))?.size).toBe(200_000);
    s3.faults.push(fault);
    expect(await bucket.size('media/x')).toBe(200_000);
    s3.faults.push(fault);
    await bucket.remove('media/x');
    expect(s3.objects.size).toBe(0);
    expect(waits).toEqual([200, 1000, 200, 200, 200]);
  });

  it('is asked again when it waited in vain for a body', async () => {
    const { s3, bucket } = await openBucket();
    s3.faults.push({ status: 400, code: 'RequestTimeout' });
    await put(bucket, 'media/x', Buffer.from('whole'));
    expect(s3.objects.get('media/x')?.bytes.toString()).toBe('whole');
  });

  it('is given up after three answers that are none', async () => {
    const { s3, bucket } = await openBucket();
    s3.down({ status: 503, code: 'SlowDown' });
    await expect(put(bucket, 'media/x', Buffer.from('x'))).rejects.toEqual(UNAVAILABLE);
    await expect(bucket.get('media/x', 0, 1)).rejects.toEqual(UNAVAILABLE);
    expect(s3.seen).toHaveLength(6);
  });

  it('is given up when it does not answer in time', async () => {
    const { s3, bucket } = await openBucket({ deadlineMs: 30 });
    s3.down('hangs');
    await expect(bucket.size('media/x')).rejects.toEqual(UNAVAILABLE);
    await expect(put(bucket, 'media/x', Buffer.from('x'))).rejects.toEqual(UNAVAILABLE);
  });

  it.each([
    ['a wrong secret', { secretAccessKey: 'wrong' }, 'SignatureDoesNotMatch'],
    ['an unknown key', { accessKeyId: 'AKIDWRONG' }, 'InvalidAccessKeyId'],
    ['another region', { region: 'us-west-9' }, 'AuthorizationHeaderMalformed'],
  ])('refuses %s once', async (_name, settings, code) => {
    const { s3, bucket } = await openBucket({ settings });
    const error = await bucket.get('media/x', 0, 1).catch((thrown: unknown) => thrown);
    expect(error).toEqual(REFUSED);
    expect((error as StorageError).because).toContain(code);
    expect((error as StorageError).message).not.toContain(code);
    expect(s3.seen).toHaveLength(1);
  });

  it('distinguishes a bucket that is not there from an object that is not there', async () => {
    const s3 = await startS3({ now: () => START });
    const url = s3.settings.url.replace('rostra-media', 'another');
    const { bucket } = clientOf(s3, { settings: { url } });
    await expect(bucket.get('media/x', 0, 1)).rejects.toEqual(REFUSED);
    await expect(put(bucket, 'media/x', Buffer.from('x'))).rejects.toEqual(REFUSED);
  });

  it('refuses bytes that are not the ones that were signed', async () => {
    const { s3, bucket } = await openBucket();
    const body = () => Buffer.from('evil');
    await expect(bucket.put('media/x', { size: 4, sha256: sha256('good'), body })).rejects.toEqual(REFUSED);
    expect(s3.objects.size).toBe(0);
  });

  it.each<[string, Fault]>([
    ['another part', { status: 206, body: 'ab', headers: { 'content-range': 'bytes 0-1/2' } }],
    ['too little', { status: 206, body: 'ab', headers: { 'content-range': 'bytes 5-6/100' } }],
    ['all of it', { status: 200, body: 'ab' }],
  ])('does not take %s for the bytes that were asked for', async (_name, fault) => {
    const { s3, bucket } = await openBucket();
    s3.down(fault);
    await expect(bucket.get('media/x', 5, 10)).rejects.toBeInstanceOf(StorageError);
  });

  it('takes all of a small object from a storage without ranges', async () => {
    const { s3, bucket } = await openBucket();
    s3.down({ status: 200, body: 'abc' });
    expect(text((await bucket.get('media/x', 0, 10))?.bytes)).toBe('abc');
  });

  it('does not take for an empty bucket what is no list', async () => {
    const { s3, bucket } = await openBucket();
    const whole = '<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>';
    expect(readListing(whole)).toEqual({ objects: [], next: undefined });
    const broken = [
      '',
      '<html>captive portal</html>',
      whole.slice(0, -5),
      whole.replace('false', 'true'),
      '<ListBucketResult></ListBucketResult>',
      '<ListBucketResult><Contents><Key>a</Key></Contents><IsTruncated>false</IsTruncated></ListBucketResult>',
    ];
    for (const body of broken) {
      s3.down({ status: 200, body });
      await expect(bucket.list('media/').next()).rejects.toEqual(UNAVAILABLE);
    }
  });

  it('does not turn in circles over a list that goes nowhere', async () => {
    const { s3, bucket } = await openBucket();
    const next = '<NextContinuationToken>t</NextContinuationToken>';
    s3.down({ status: 200, body: `<ListBucketResult><IsTruncated>true</IsTruncated>${next}</ListBucketResult>` });
    const pages = bucket.list('media/');
    await pages.next();
    await expect(pages.next()).rejects.toEqual(UNAVAILABLE);
  });
});

it('a post whose media the storage does not give now is tried again, as one of which nothing was sent', () => {
  const setback = attemptFailureOf('bluesky', new StorageError('s3.example', 'it answers with status 503'));
  expect(setback?.again).toMatchObject({ kind: 'not_sent' });
  expect([setback?.reported.code, setback?.meanwhile]).toEqual(['http.503', undefined]);
});

describeStores('media in a bucket', { kinds: ['memory'] }, ({ open }) => {
  const it = test.extend('world', async () => makeWorld(await open(), { shelf: 'bucket' }));

  it('keys objects by item and content, and reads large ones in parts', async ({ world }) => {
    const s3 = world.s3!;
    const bytes = png(4, 4, 2_500_000);
    const item = await world.media.upload(world.owner, { file: pieces(bytes, 65_536) });
    expect([...s3.objects.keys()].toSorted()).toEqual([`media/${item.id}/${sha256(bytes)}`, 'rostra-owner']);
    const opened = await world.media.open(world.owner.id, item.id, { until: Promise.resolve() });
    expect(Buffer.from(await opened.bytes()).equals(bytes)).toBe(true);
    s3.seen.length = 0;
    const file = await world.media.read(tokenOf(item.url));
    const part = await buffer(file.stream(1_000_000, 2_200_000));
    expect(part.equals(bytes.subarray(1_000_000, 2_200_001))).toBe(true);
    const asked = s3.seen.map(({ method, range = 'all' }) => `${method} ${range}`);
    expect(asked).toEqual(['HEAD all', 'GET bytes=1000000-2048575', 'GET bytes=2048576-2200000']);
  });

  it('looks for camera data once in what platforms open and fetch again and again', async ({ world }) => {
    const item = await world.media.upload(world.owner, { file: pieces(cameraJpeg(6)) });
    const open = () => world.media.open(world.owner.id, item.id, { until: Promise.resolve() });
    await open();
    const seen = world.s3!.seen;
    seen.length = 0;
    const { size } = await open();
    const address = await world.media.link(world.owner.id, item.id, { minutes: 60, network: 'sandbox' });
    expect((await world.media.read(tokenOf(address))).size_bytes).toBe(size);
    expect(seen.map(({ method }) => method)).toEqual(['HEAD', 'HEAD']);
    expect(size).toBe(jpegOf([exifSegment(bareTiff(6))]).length);
  });

  it('breaks a download off when the object goes away meanwhile', async ({ world }) => {
    const item = await world.media.upload(world.owner, { file: pieces(png(4, 4, 1000)) });
    const file = await world.media.read(tokenOf(item.url));
    world.s3!.objects.clear();
    await expect(file.stream(0, 10).toArray()).rejects.toThrow();
  });

  it('keeps what was verified, however late another upload for it arrives', async ({ world }) => {
    const { media, owner } = world;
    const address = await addressIn(world);
    const good = png(7, 7);
    async function* late() {
      yield png(9, 9);
      await media.put(address.token, pieces(good));
      await media.verify(owner, address.media_id);
    }
    await expect(media.put(address.token, late())).rejects.toMatchObject({ code: 'resource.conflict' });
    expect(await media.verify(owner, address.media_id)).toMatchObject({ width: 7, size_bytes: good.byteLength });
    const opened = await media.open(owner.id, address.media_id, { until: Promise.resolve() });
    expect(Buffer.from(await opened.bytes()).equals(good)).toBe(true);
    expect(world.files()).toEqual([address.media_id]);
    expect(await world.used()).toBe(good.byteLength);
  });

  it('fails an item whose bytes changed in the storage', async ({ world }) => {
    const { media, owner } = world;
    const address = await addressIn(world);
    await media.put(address.token, pieces(png(7, 7)));
    const key = [...world.s3!.objects.keys()].find((name) => name.startsWith('media/'));
    world.s3!.objects.set(key!, { bytes: png(8, 8), changed: START });
    await expect(media.verify(owner, address.media_id)).rejects.toMatchObject({ code: 'validation.field_invalid' });
    expect(world.files()).toEqual([]);
  });

  it('answers 503 while the storage is down, counts nothing, and goes on afterwards', async ({ world }) => {
    const { media, owner, s3 } = world;
    const kept = await media.upload(owner, { file: pieces(png()) });
    const address = await addressIn(world);
    s3!.down({ status: 500 });
    const unavailable = expect.objectContaining({ code: 'http.503' });
    await expect(media.upload(owner, { file: pieces(png()) })).rejects.toEqual(unavailable);
    await expect(media.put(address.token, pieces(png()))).rejects.toEqual(unavailable);
    await expect(media.read(tokenOf(kept.url))).rejects.toEqual(unavailable);
    await expect(media.open(owner.id, kept.id, { until: Promise.resolve() })).rejects.toEqual(unavailable);
    expect(await world.used()).toBe(kept.size_bytes);
    // What only has to be cleared away is left to the sweep.
    await media.remove(world.authority, kept.id);
    expect(await world.used()).toBe(0);
    await expect(media.sweep()).rejects.toEqual(unavailable);
    s3!.down(undefined);
    await media.put(address.token, pieces(png()));
    s3!.down({ status: 500 });
    await expect(media.verify(owner, address.media_id)).rejects.toEqual(unavailable);
    s3!.down(undefined);
    expect(await media.verify(owner, address.media_id)).toMatchObject({ status: 'ready' });
    world.clock.move(25 * HOUR);
    expect(await media.sweep()).toEqual({ pending: 0, orphans: 1 });
    expect(world.files()).toEqual([address.media_id]);
  });

  it('sweeps abandoned uploads and objects without an item, and nothing that is not ours', async ({ world }) => {
    const { media, owner, s3, clock } = world;
    const kept = await media.upload(owner, { file: pieces(png(2, 2)) });
    const address = await addressIn(world);
    await media.put(address.token, pieces(png()));
    const stray = (key: string, at = START) => s3!.objects.set(key, { bytes: Buffer.from('x'), changed: at });
    const hash = 'ab'.repeat(32);
    stray(`media/med_gone/${hash}`);
    stray(`media/${kept.id}/${hash}`);
    stray(`media/med_fresh/${hash}`, START + HOUR);
    stray('media/readme.txt');
    stray('backups/rostra.db');
    clock.move(24 * HOUR);
    expect(await media.sweep()).toEqual({ pending: 0, orphans: 0 });
    clock.move(1);
    expect(await media.sweep()).toEqual({ pending: 1, orphans: 2 });
    const own = [`media/${kept.id}/${sha256(png(2, 2))}`, `media/med_fresh/${hash}`, 'rostra-owner'];
    const left = [...own, 'backups/rostra.db', 'media/readme.txt'];
    expect([...s3!.objects.keys()].toSorted()).toEqual(left.toSorted());
  });

  it('removes nothing from a bucket that became another installation’s', async ({ world }) => {
    world.s3!.objects.set(`media/med_gone/${'ab'.repeat(32)}`, { bytes: Buffer.from('x'), changed: START });
    world.s3!.objects.set('rostra-owner', { bytes: Buffer.from('somebody else'), changed: START });
    world.clock.move(48 * HOUR);
    await expect(world.media.sweep()).rejects.toThrow('another installation');
    expect(world.s3!.objects.size).toBe(2);
  });

  it('still finds and removes what was on the disk before there was a bucket', async ({ world }) => {
    const before = world.another({ files: localFiles(`${world.dataDir}/media`) });
    const item = await before.upload(world.owner, { file: pieces(png(6, 6)) });
    const address = await before.uploadUrl(world.owner, { media_type: 'image/png', filename: 'a.png' });
    await before.put(tokenOf(address.upload_url), pieces(png()));
    expect(await world.media.verify(world.owner, address.media_id)).toMatchObject({ status: 'ready' });
    expect(await world.media.open(world.owner.id, item.id, { until: Promise.resolve() })).toMatchObject({ width: 6 });
    const file = await world.media.read(tokenOf(item.url));
    expect(Buffer.concat(await file.stream(0, file.size_bytes - 1).toArray()).equals(png(6, 6))).toBe(true);
    await world.media.remove(world.authority, item.id);
    await world.media.remove(world.authority, address.media_id);
    expect(world.files()).toEqual([]);
  });

  it('starts with a bucket that is its own or nobody’s, or is down, and with no other', async () => {
    const store = await open();
    await addWorkspace(store);
    const s3 = await startS3({ now: () => START });
    const lines: string[] = [];
    const { outbound } = clientOf(s3);
    const start = (settings: Partial<S3['settings']> = {}) =>
      openMediaFiles({
        config: { dataDir: '/nowhere', mediaBucket: { ...s3.settings, ...settings } },
        store,
        outbound,
        clock: quickClock(),
        log: makeLog({ level: 'info' }, { write: (line) => void lines.push(line) }),
      });
    await start();
    await start();
    const owner = s3.objects.get('rostra-owner')!;
    expect(owner.bytes.toString()).toMatch(/^[0-9a-f]{32}$/);
    expect(lines).toEqual([]);
    s3.objects.set('rostra-owner', { ...owner, bytes: Buffer.from('somebody else') });
    await expect(start()).rejects.toThrow('MEDIA_S3_BUCKET belongs to another installation');
    await expect(start({ secretAccessKey: 'wrong' })).rejects.toThrow(
      'MEDIA_S3_BUCKET cannot be used: it answers with status 403, SignatureDoesNotMatch',
    );
    s3.down({ status: 500 });
    await start();
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('the media storage does not answer');
  });
});
