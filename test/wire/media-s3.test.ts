/** The media of a whole server in a bucket of a server that others wrote: what they agree on, S3 is. */
import { expect, it, onTestFinished } from 'vitest';
import { makeBucket } from '#engine/media/storage/bucket.ts';
import { systemClock } from '#kernel/clock.ts';
import { makeOutbound } from '#kernel/net/request.ts';
import { sha256 } from '#kernel/sign.ts';
import { png } from '../harness/media-samples.ts';
import { makeWorld } from '../harness/world.ts';
import { describeS3, startS3Server } from './s3-server/server.ts';

describeS3('media on a server that speaks as S3 does', () => {
  // The server judges signatures by the time of the machine.
  const surroundings = { clock: systemClock };

  it('are uploaded, verified, read, published and deleted', async () => {
    const s3 = await startS3Server();
    const world = await makeWorld({ env: s3.env, surroundings });

    const small = png();
    const form = new FormData();
    const bytes = png(30, 20, 1_500_000);
    form.set('file', new Blob([bytes]), 'big.png');
    const sent = await world.rest('POST /v1/media/upload', form);
    expect([sent.status, sent.body.size_bytes, sent.body.width]).toEqual([201, bytes.byteLength, 30]);

    const address = await world.rest('GET /v1/media/upload-url?media_type=image/png&filename=a.png');
    const { media_id, upload_url } = address.body as { media_id: string; upload_url: string };
    const early = await world.rest(`POST /v1/media/${media_id}/verify`);
    expect([early.status, early.body.error.code]).toEqual([400, 'media.not_ready']);
    expect((await fetch(upload_url, { method: 'PUT', body: small })).status).toBe(200);
    expect((await fetch(upload_url, { method: 'PUT', body: small })).status).toBe(409);
    expect((await world.rest(`POST /v1/media/${media_id}/verify`)).body.status).toBe('ready');
    expect(new Set(s3.items())).toEqual(new Set([sent.body.id, media_id]));

    const whole = await fetch(sent.body.url as string);
    expect(Buffer.from(await whole.arrayBuffer()).equals(bytes)).toBe(true);
    const part = await fetch(sent.body.url as string, { headers: { range: 'bytes=1048570-1048585' } });
    expect(part.status).toBe(206);
    expect(part.headers.get('content-range')).toEqual(`bytes 1048570-1048585/${bytes.byteLength}`);
    expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(1_048_570, 1_048_586))).toBe(true);

    const account = await world.connect();
    const post = await world.rest('POST /v1/posts', {
      text: 'with a picture',
      media_ids: [media_id],
      account_ids: [account.id],
      publish_now: true,
    });
    expect([post.status, post.body.status]).toEqual([201, 'published']);
    const used = await world.rest(`DELETE /v1/media/${media_id}`);
    expect([used.status, used.body.error.code]).toEqual([409, 'media.in_use']);
    expect((await world.rest(`DELETE /v1/media/${sent.body.id}`)).status).toBe(200);
    expect(s3.items()).toEqual([media_id]);
    const storage = await world.rest('GET /v1/media/storage');
    expect(storage.body).toMatchObject({ used_bytes: small.byteLength, count: 1 });
  });

  it('are distinguished from strays in lists of several pages', async () => {
    const s3 = await startS3Server();
    const outbound = makeOutbound({
      allowPrivate: 'off',
      ownPort: () => undefined,
      trustedOrigins: () => [new URL(s3.settings.url).origin],
      userAgent: 'test',
    });
    onTestFinished(() => outbound.close());
    const bucket = makeBucket({ settings: s3.settings, outbound, clock: systemClock });
    const bytes = Buffer.from('x');
    const object = { size: 1, sha256: sha256(bytes), body: () => bytes };
    const names = Array.from({ length: 1005 }, (_, n) => `media/med_${String(n).padStart(4, '0')}/${'ab'.repeat(32)}`);
    for (const name of names) await bucket.put(name, object);
    await bucket.put('elsewhere', object);
    const pages: string[][] = [];
    for await (const page of bucket.list('media/')) pages.push(page.map(({ key }) => key));
    expect(pages.map((page) => page.length)).toEqual([1000, 5]);
    expect(pages.flat()).toEqual(names);

    const settings = { ...s3.settings, secretAccessKey: 'wrong' };
    const wrong = makeBucket({ settings, outbound, clock: systemClock });
    await expect(wrong.size(names[0]!)).rejects.toMatchObject({ code: 'http.503', refused: true });
    const because: unknown = expect.stringContaining('SignatureDoesNotMatch');
    await expect(wrong.list('media/').next()).rejects.toMatchObject({ because });
  });
});
