import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { makeFolder } from '../../harness/folders.ts';
import { heic } from '../../harness/pictures/heic.ts';
import { phonePhoto } from '../../harness/pictures/samples.ts';
import { finalPost, openStage, setUp } from '../../platforms/conformance/stage.ts';
import { nameOf, SUBJECTS } from '../../platforms/conformance/subjects.ts';
import { picture, video, wideVideo } from '../../platforms/conformance/files.ts';
import type { Door, Scene, Subject } from '../../platforms/conformance/subject.ts';

const segment = (text: string) => {
  const bytes = Buffer.from(`\xff\xe1\0\0${text}`, 'latin1');
  bytes.writeUInt16BE(bytes.length - 2, 2);
  return bytes;
};

/** A place as EXIF writes it (52° 31'), in both orders of bytes, and words of EXIF, XMP and a maker. */
const PLACES = [
  Buffer.from('00000034000000010000001f00000001', 'hex'),
  Buffer.from('34000000010000001f00000001000000', 'hex'),
];
const WORDS = ['Harbour', 'Pixel', 'GPSLatitude', 'ns.adobe.com/xap', 'MakerSecret'].map((word) => Buffer.from(word));
const PRIVATE = [...PLACES, ...WORDS];

/** A photo of a phone: upright only by its EXIF, with a place, XMP, and notes of its maker. */
async function photo(): Promise<Buffer<ArrayBuffer>> {
  const plain = await phonePhoto(1080, 1350, 6);
  const xmp = segment('http://ns.adobe.com/xap/1.0/\0<x:xmpmeta exif:GPSLatitude="52,31N" MakerSecret="1"/>');
  const exif = 4 + plain.readUInt16BE(4);
  return Buffer.concat([plain.subarray(0, exif), xmp, plain.subarray(exif)]);
}

/** All bytes that a simulator has stored, a file in one piece. */
function storedIn(file: string): readonly Buffer[] {
  const db = new Database(file, { readonly: true });
  try {
    const tables = db.prepare(`select name from sqlite_master where type = 'table'`).pluck().all() as string[];
    return tables.flatMap((table) => {
      const rows = db.prepare(`select * from "${table}" order by rowid`).all() as Record<string, unknown>[];
      const pieces = rows.flatMap((row) =>
        Object.values(row).flatMap((value) => (Buffer.isBuffer(value) ? [{ id: row['id'], value }] : [])),
      );
      return [...Map.groupBy(pieces, ({ id }) => id ?? Symbol('own')).values()].map((all) =>
        Buffer.concat(all.map(({ value }) => value)),
      );
    });
  } finally {
    db.close();
  }
}

const isPicture = (bytes: Buffer) => /^(?:\xff\xd8\xff|\x89PNG|RIFF.{4}WEBP)/s.test(bytes.toString('latin1', 0, 16));

/** The post of a platform that holds a picture. */
async function postOf(subject: Subject, door: Door, account: string, text: string): Promise<object | undefined> {
  if (subject.platform.slug === 'youtube') {
    const thumbnail = { source: await picture(door), source_type: 'media_id' };
    return { title: text, media_ids: [await video(door, wideVideo())], platform_data: { youtube: { thumbnail } } };
  }
  for (const { input } of Object.values(subject.posts)) {
    let hasPicture = false;
    const upload: Door['upload'] = (name, type, bytes) => {
      hasPicture ||= type.startsWith('image/');
      return door.upload(name, type, bytes);
    };
    const content = await input({ ...door, upload }, text, [account]);
    if (hasPicture) return content;
  }
  return undefined;
}

async function publish(subject: Subject, stage: Awaited<ReturnType<typeof openStage>>, scene: Scene, door: Door) {
  if (subject.platform.slug === 'whatsapp') {
    const attachments = [{ type: 'image', source: await picture(door), source_type: 'media_id' }];
    const sent = await scene.rest(`POST /v1/inbox/conversations/${scene.conversation}/messages`, { attachments });
    expect([sent.status, sent.body]).toEqual([expect.toSatisfy((status: number) => status < 300), sent.body]);
    return;
  }
  const text = 'Where we were 7';
  const content = await postOf(subject, door, scene.account, text);
  expect(content).toBeDefined();
  const made = await scene.rest('POST /v1/posts', {
    text,
    account_ids: [scene.account],
    publish_now: true,
    ...content,
  });
  const post = await finalPost(stage, made.body.id);
  expect([post.status, post.results]).toEqual(['published', post.results]);
}

const bySlug = new Map(SUBJECTS.map((subject) => [subject.platform.slug, subject]));

describe('a photo of a phone', () => {
  it('holds what is private, before it is published', async () => {
    const bytes = await photo();
    expect(PLACES.some((one) => bytes.includes(one))).toBe(true);
    expect(WORDS.every((one) => bytes.includes(one))).toBe(true);
    expect(bySlug.size).toBe(13);
  });

  it.for([...bySlug.values()].map((subject) => [nameOf(subject), subject] as const))(
    'arrives without it at %s',
    async ([, subject]) => {
      const sandboxFile = join(makeFolder(), 'sandbox.db');
      const stage = await openStage(subject, { sandboxFile });
      const scene = await setUp(stage, subject);
      const taken = subject.platform.posts?.rules.media.supported_image_types ?? [];
      // A platform that takes no JPEG would get none; HEIC is converted everywhere else.
      const other = taken.includes('image/jpeg') && subject.platform.slug === 'bluesky' ? heic('phone') : undefined;
      const before = storedIn(sandboxFile).length;
      for (const bytes of [await photo(), ...(other ? [other] : [])]) {
        const upload: Door['upload'] = (name, type, own) =>
          type.startsWith('image/') ? stage.upload('photo.jpg', 'image/jpeg', bytes) : stage.upload(name, type, own);
        await publish(subject, stage, scene, { ...stage, upload });
      }
      const files = storedIn(sandboxFile);
      expect(files.length).toBeGreaterThan(before);
      expect(files.some((bytes) => isPicture(bytes) && bytes.length > 10_000)).toBe(true);
      const found = PRIVATE.filter((needle) => files.some((bytes) => bytes.includes(needle)));
      expect(found.map(String)).toEqual([]);
    },
  );
});
