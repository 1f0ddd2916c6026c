import * as z from 'zod';
import type { PublishCall } from '../../posts.ts';
import { Id, listOf, Success } from '../../graph/api.ts';
import { freshPhotos, photoStep } from './photos.ts';
import { asPage } from '../api.ts';
import { defineStep } from '../../shared/steps.ts';

const Made = Success.extend({ post_id: Id });
const Listed = listOf(
  z.object({
    post_id: Id.optional().catch(undefined),
    media_id: Id.optional().catch(undefined),
  }),
);

const Story = z.object({ post_id: z.string(), page: z.string() });
type Story = z.output<typeof Story>;

export const STORY = defineStep({
  name: 'story',
  kind: 'visible',
  result: Story,
  run: publishPhotoStory,
  settle: settlePhotoStory,
});

async function publishPhotoStory(call: PublishCall): Promise<Story> {
  const [photo] = await freshPhotos(call);
  const ids = { page: call.post.page_id! };
  const form = { photo_id: photo!.id };
  const request = { method: 'POST', path: '/{page}/photo_stories', ids, form } as const;
  const { post_id } = await asPage(call, call.post.page_id, request, Made);
  return { post_id, page: call.post.page_id! };
}

/** Looks for the story with our photo; if it is not found, the outcome is unknown. */
async function settlePhotoStory(call: PublishCall): Promise<Readonly<{ made: Story }> | 'unknown'> {
  const photo = photoStep(0).resultIn(call.done);
  const query = { fields: 'post_id,media_id,media_type,status', limit: 100 };
  const request = { method: 'GET', path: '/{page}/stories', ids: { page: call.post.page_id! }, query } as const;
  const { data } = await asPage(call, call.post.page_id, request, Listed);
  const post_id = data.find(({ media_id }) => media_id === photo.id)?.post_id;
  return post_id === undefined ? 'unknown' : { made: { post_id, page: call.post.page_id! } };
}
