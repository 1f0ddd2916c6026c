import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { assertTaken, inParts, multipart } from '#platforms/shared/upload.ts';
import { facebook } from '#platforms/facebook/index.ts';
import { opened } from '../../harness/opened.ts';

const BYTES = Buffer.from('0123456789');

describe('a multipart form', () => {
  const file = { name: 'file', filename: 'a.mp4', type: 'video/mp4' };
  const fields = [['text', 'ü']] as const;

  it('is the same whether its file is in memory or streamed', async () => {
    const whole = multipart(fields, { ...file, bytes: BYTES });
    const streamed = multipart(fields, {
      ...file,
      bytes: { length: BYTES.length, open: () => Readable.from([BYTES.subarray(0, 4), BYTES.subarray(4)]) },
    });
    const boundaryOf = ({ type }: { type: string }) => type.split('boundary=')[1]!;
    if (streamed.content instanceof Uint8Array) throw new Error('not streamed');
    const sent = await buffer(streamed.content.open());
    expect(sent.length).toBe(streamed.content.length);
    expect(sent.toString().replaceAll(boundaryOf(streamed), boundaryOf(whole))).toBe(
      Buffer.from(whole.content as Uint8Array).toString(),
    );
    expect(sent.toString()).toContain(
      'name="file"; filename="a.mp4"\r\nContent-Type: video/mp4\r\n\r\n0123456789\r\n--',
    );
    expect((await buffer(streamed.content.open())).length).toBe(sent.length);
  });
});

describe('an upload in parts', () => {
  const media = opened(BYTES, 'video/mp4');
  const upload = (from: { at: number; to?: number }, next: (end: number) => number = (end) => end) => {
    const [parts, kept]: [string[], unknown[]] = [[], []];
    const keep = async (value: unknown) => void kept.push(value);
    const put = async (part: Uint8Array, { at }: { at: number }) => {
      parts.push(Buffer.from(part).toString());
      return { at: next(at + part.length) };
    };
    return { parts, kept, done: inParts({ keep }, media, { size: 4, from, put }) };
  };

  it('goes on where it stands, and keeps how far it is', async () => {
    const begun = upload({ at: 0 });
    expect(await begun.done).toEqual({ at: 10 });
    expect([begun.parts, begun.kept]).toEqual([
      ['0123', '4567', '89'],
      [{ at: 4 }, { at: 8 }, { at: 10 }],
    ]);
    const resumed = upload({ at: 8 });
    await resumed.done;
    expect(resumed.parts).toEqual(['89']);
    const bounded = upload({ at: 0, to: 2 });
    await bounded.done;
    expect(bounded.parts[0]).toBe('01');
  });

  it('sends again what the platform took in part, and stops where it makes no progress', async () => {
    const half = upload({ at: 0 }, (end) => Math.max(1, end - 1));
    await expect(half.done).rejects.toMatchObject({ kind: 'unknown' });
    expect(half.parts.slice(0, 2)).toEqual(['0123', '3456']);
    await expect(upload({ at: 0 }, () => 0).done).rejects.toMatchObject({ kind: 'unknown' });
    await expect(upload({ at: 0 }, () => 11).done).rejects.toMatchObject({ kind: 'unknown' });
  });

  it('sends nothing where the platform wants a part that is no part of the file', async () => {
    for (const to of [4, 3, -1]) {
      const backwards = upload({ at: 4, to });
      await expect(backwards.done).rejects.toMatchObject({ kind: 'unknown' });
      expect(backwards.parts).toEqual([]);
    }
    const beyond = upload({ at: 8, to: 12 });
    await beyond.done;
    expect(beyond.parts).toEqual(['89']);
  });
});

it('media are held to the types and sizes that a platform takes', () => {
  const { media } = facebook.posts!.rules;
  const check = (content_type: string, size: number) => () =>
    assertTaken('Facebook', 'image', { content_type, size }, media);
  expect(check('image/png', media.max_image_size_bytes)).not.toThrow();
  expect(check('image/webp', 1)).toThrow('Facebook accepts no image/webp');
  expect(check('image/png', media.max_image_size_bytes + 1)).toThrow('images of at most');
});
