import { z } from 'zod';
import { utf16 } from '../../kit/api/shapes.ts';
import { INTERACTIONS, PRIVACY, type About } from '../docs.ts';
import { noSuchThing } from '../errors.ts';
import type { Parts } from '../parts.ts';
import { fieldsOf, makeCalls, read, sizeOf, some, words, type Call } from './calls.ts';

const no = z.boolean().default(false);
const info = { is_brand_organic: no, is_branded_content: no, disable_comment: no };
const VideoInfo = z.looseObject({
  caption: utf16(2200).default(''),
  disable_duet: no,
  disable_stitch: no,
  is_ai_generated: no,
  upload_to_draft: no,
  thumbnail_offset: z.int().min(0).optional(),
  ...info,
});
const PhotoInfo = z.looseObject({
  title: utf16(90).default(''),
  caption: utf16(4000).default(''),
  privacy_level: z.enum(PRIVACY).optional(),
  auto_add_music: no,
  is_draft: no,
  ...info,
});
const Video = z.looseObject({ video_url: some, custom_thumbnail_url: some.optional(), post_info: VideoInfo });
const Photo = z
  .looseObject({
    photo_images: z.array(some).min(1).max(35),
    photo_cover_index: z.int().min(0).default(0),
    post_info: PhotoInfo,
  })
  .refine(({ photo_images: { length }, photo_cover_index: cover }) => cover < length, 'has no such cover');

const Filters = z.looseObject({ video_ids: z.array(some).max(20).optional() });

export function publishRoutes(parts: Parts) {
  const { world, names, posts, publications, views } = parts;
  const { docs, options } = world;
  const call = makeCalls(parts);

  /** A post cannot allow what its account has disabled. */
  async function publish({ caller }: Call, about: About, urls: readonly string[], isDraft: boolean): Promise<object> {
    const { id: page_id, forbids = [] } = names.creator(caller.person);
    const known = about.kind === 'photo' ? ['comment'] : INTERACTIONS;
    const missing = forbids.filter((name) => known.includes(name as never) && !about.forbids.includes(name));
    if (missing.length > 0) throw words.invalid(`post_info.disable_${missing[0]} must be true`);
    if (!names.privacyOf(page_id).includes(about.privacy))
      throw words.invalid('post_info.privacy_level is not allowed');
    const { id } = await publications.pull({ page_id, product: 'business', isDraft, about }, urls);
    return { share_id: id };
  }
  const forbidden = (given: Readonly<Record<string, unknown>>) =>
    INTERACTIONS.filter((name) => given[`disable_${name}`] === true);

  return [
    call('GET', '/business/get/', 'user.info.basic', (one) =>
      fieldsOf(one, views.business.user, ['display_name', 'profile_image'])(names.creator(one.caller.person)),
    ),
    call('GET', '/business/video/settings/', 'video.publish', ({ caller: { person } }) => {
      const { forbids = [], longest_s } = names.creator(person);
      const switches = Object.fromEntries(INTERACTIONS.map((name) => [`${name}_disabled`, forbids.includes(name)]));
      const options = { privacy_level_options: names.privacyOf(person), max_video_post_duration_sec: longest_s };
      return { ...options, ...switches };
    }),
    call('POST', '/business/video/publish/', 'video.publish', (one) => {
      const { video_url, custom_thumbnail_url: cover, post_info: more } = read(Video, one.params.values, 'body');
      const privacy = names.privacyOf(one.caller.person)[0]!;
      const about = { kind: 'video', title: '', text: more.caption, privacy, forbids: forbidden(more), more } as const;
      if (cover !== undefined && !world.isVerified(cover)) throw words.refused('url_ownership_unverified');
      return publish(one, about, [video_url], more.upload_to_draft);
    }),
    call('POST', '/business/photo/publish/', 'video.publish', (one) => {
      const { photo_images: urls, post_info: more } = read(Photo, one.params.values, 'body');
      const { title, caption: text, privacy_level: privacy = names.privacyOf(one.caller.person)[0]! } = more;
      return publish(one, { kind: 'photo', title, text, privacy, forbids: forbidden(more), more }, urls, more.is_draft);
    }),
    call('GET', '/business/publish/status/', 'video.publish', ({ params, caller }) => {
      const found = docs.get('publication', params.required('publish_id'));
      if (found?.page_id !== caller.person || found.product !== 'business') throw noSuchThing('publish_id');
      const { status, ids: post_ids, reason } = options.store.write(() => publications.state(found));
      return { status, ...(post_ids.length > 0 && { post_ids }), ...(reason !== undefined && { reason }) };
    }),
    call('GET', '/business/video/list/', 'video.list', (one) => {
      const { params, caller } = one;
      const show = fieldsOf(one, views.business.video, ['item_id']);
      const { video_ids: ids } = read(Filters, params.object('filters') ?? {}, 'filters');
      const all = posts.of(caller.person).filter(({ id }) => ids === undefined || ids.includes(id));
      const { page, ...rest } = posts.page(all, params.whole('cursor') ?? 0, sizeOf(one, 20, 10));
      return { videos: page.map(show), ...rest };
    }),
  ];
}
