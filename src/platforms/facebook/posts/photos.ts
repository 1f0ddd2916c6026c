import * as z from 'zod';
import { HOUR } from '#kernel/clock.ts';
import { tableOf } from '#kernel/text/table.ts';
import type { PublishCall } from '../../posts.ts';
import { Made } from '../../graph/api.ts';
import { optionsOf, rules } from './rules.ts';
import { asPage } from '../api.ts';
import { defineStep } from '../../shared/steps.ts';
import { assertTaken } from '../../shared/upload.ts';

/** An uploaded photo that is not in a post yet, with its upload time. */
export const Photo = z.object({ id: z.string(), at: z.number() });
export type Photo = Readonly<z.output<typeof Photo>>;

const SUFFIXES: ReadonlyMap<string, string> = tableOf({
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/gif': 'gif',
});
/** Photos older than this are uploaded again, because Facebook deletes unused photos after a day. */
const FRESH_MS = 20 * HOUR;

export const photoStep = (index: number) =>
  defineStep({ name: `photo.${index}`, kind: 'invisible', result: Photo, run: (call) => uploadPhoto(call, index) });

async function uploadPhoto(call: PublishCall, index: number): Promise<Photo> {
  const opened = await call.open(call.post.media[index]!.ref);
  assertTaken('Facebook', 'image', opened, rules.media);
  const { content_type: type } = opened;
  const page = call.post.page_id;
  const form = { published: false, alt_text_custom: optionsOf(call.post).alts?.[index] || undefined };
  const file = { name: 'source', filename: `photo.${SUFFIXES.get(type)!}`, type, bytes: await opened.bytes() };
  const { id } = await asPage(
    call,
    page,
    { method: 'POST', path: '/{page}/photos', ids: { page: page! }, form, file },
    Made,
  );
  return { id, at: call.now() };
}

export async function uploadPhotos(call: PublishCall): Promise<Photo[]> {
  const photos: Photo[] = [];
  for (const index of call.post.media.keys()) photos.push(await uploadPhoto(call, index));
  return photos;
}

/** The photos of a post; those that are too old are uploaded again. */
export async function freshPhotos(call: PublishCall): Promise<readonly Photo[]> {
  const photos: Photo[] = [];
  for (const index of call.post.media.keys()) {
    const photo = photoStep(index).resultIn(call.done);
    photos.push(call.now() - photo.at < FRESH_MS ? photo : await uploadPhoto(call, index));
  }
  return photos;
}
