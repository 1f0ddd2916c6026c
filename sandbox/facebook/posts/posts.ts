import { badParam, GraphError, unknownObject } from '../../graph/api/errors.ts';
import { WAITING, type Post } from '../docs.ts';
import { LONGEST_TEXT, readTiming, type Publication } from './publication.ts';
import type { NodeType } from '../../graph/api/render.ts';
import { within } from '../../graph/api/methods.ts';
import { drawList, drawOne, type Call, type Methods } from '../../graph/world.ts';
import { methodsOf, READ, WRITE, type World } from '../world.ts';

const LONGEST_COLOURED = 130;

const FEED =
  `actions album_id application_id attached_media backdated_time backdated_time_granularity call_to_action caption
  child_attachments coordinates description enforce_link_ownership feed_targeting formatting is_explicit_location link
  manual_privacy message multi_share_end_card multi_share_optimized name object_attachment picture place privacy properties
  published quote ref scheduled_publish_time source tags target_surface targeting text_format_preset_id thumbnail title
  unpublished_content_type`.split(/\s+/);
const EDIT =
  `allow_sponsor_boost backdated_time backdated_time_granularity is_explicit_place is_hidden is_pinned is_published
  message place privacy scheduled_publish_time tags text_format_preset_id timeline_visibility tracking`.split(/\s+/);
const LIST = ['include_hidden', 'show_expired', 'with', 'q'];

function checkText(message: string | undefined): void {
  if (message !== undefined && message.length > LONGEST_TEXT)
    throw badParam(`Param message must be at most ${LONGEST_TEXT} characters long`);
}

function checkLink(link: string | undefined): void {
  if (link === undefined) return;
  const url = URL.canParse(link) ? new URL(link) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.hostname === '')
    throw new GraphError(1609005, '(#1609005) Error Posting Link: the address could not be read', {
      title: 'Error Posting Link',
    });
  if (/(?:^|\.)facebook\.com$/.test(url.hostname))
    throw badParam('The link cannot be posted', {
      subcode: 1609008,
      says: 'Posting a link to facebook.com is not allowed here.',
    });
}

function makeWriting(world: World, publication: Publication, look: NodeType<Post>) {
  const { nodes, clock, store, settings } = world;

  function attached(call: Call, page: string): readonly string[] {
    return (call.params.list('attached_media') ?? []).map((item, at) => {
      const { media_fbid } = (item ?? {}) as { media_fbid?: string | number };
      const id = String(media_fbid);
      const photo = nodes.get('photo', id);
      if (photo === undefined || photo.page_id !== page || photo.deleted_at !== undefined)
        throw badParam(`Param attached_media[${at}] has a media_fbid that does not exist`);
      if (photo.published)
        throw badParam(`Param attached_media[${at}] must be an unpublished photo`, { subcode: 1366051 });
      return id;
    });
  }

  function create(call: Call, id: string): object {
    const { params } = call;
    const message = params.text('message') || undefined;
    const link = params.text('link') || undefined;
    checkText(message);
    checkLink(link);
    const timing = readTiming(params, clock.now());
    const photos = attached(call, id);
    if (
      message === undefined &&
      link === undefined &&
      photos.length === 0 &&
      params.list('child_attachments') === undefined
    )
      throw badParam('Missing Message Or Attachment', { subcode: 1349125 });
    if (
      params.text('text_format_preset_id') !== undefined &&
      (photos.length > 0 || link !== undefined || (message ?? '').length > LONGEST_COLOURED)
    )
      throw badParam('Param text_format_preset_id can only be used with a short text');
    const plainStatus = link === undefined ? 'mobile_status_update' : 'shared_story';
    const post = store.write(() => {
      const draft = {
        ...timing,
        page_id: id,
        by_app: true,
        status_type: photos.length > 0 ? 'added_photos' : plainStatus,
        ...(message !== undefined && { message }),
        ...(link !== undefined && { link }),
        photos,
      };
      publication.refuseRepeat(draft);
      return publication.create(draft);
    });
    return params.text('fields') === undefined ? { id: post.id } : drawOne(call, look, post);
  }

  function update({ params }: Call, post: Post): object {
    const { id } = post;
    const message = params.text('message');
    const isPublished = params.flag('is_published');
    const scheduled = params.time('scheduled_publish_time');
    if (!post.by_app && (message !== undefined || isPublished !== undefined))
      throw new GraphError(200, '(#200) The post was not made by this app', { status: 403 });
    checkText(message);
    if (isPublished === false && post.is_published) throw badParam('A published post cannot be unpublished');
    if (isPublished === true && !post.is_published && !settings.get('drafts')) throw badParam('Invalid parameter');
    if (scheduled !== undefined && post.is_published)
      throw badParam('You cannot specify a scheduled publish time on a published post');
    store.write(() => {
      if (message !== undefined && message !== post.message) publication.edit(id, message);
      if (scheduled !== undefined)
        nodes.change('post', id, {
          scheduled_at: scheduled,
          unpublished_content_type: 'SCHEDULED',
          parent_id: WAITING,
        });
      if (isPublished === true) publication.publish(id);
    });
    return { success: true };
  }

  return Object.freeze({ create, update });
}

export function makePosts(world: World, publication: Publication, look: NodeType<Post>): Methods {
  const { nodes, clock } = world;
  const { reads, writes, changes, readsOf, writesOf } = methodsOf(world);
  const { create, update } = makeWriting(world, publication, look);

  const newest = (rows: readonly Post[]) => rows.toReversed().toSorted((a, b) => b.at - a.at);

  const listed = (edge: string, choose: (post: Post) => boolean): Methods => ({
    [`GET page/${edge}`]: readsOf(READ, LIST, (call, id) => {
      const now = clock.now();
      const rows = nodes
        .list('post', { page: id })
        .filter((post) => post.deleted_at === undefined && post.listed_from <= now && choose(post));
      return drawList(call, look, `${id}/${edge}`, newest(within(call, rows)));
    }),
  });
  const isPublic = ({ is_published, story }: Post) => is_published && story === undefined;
  const isOwn = (post: Post) => isPublic(post) && post.author === undefined;
  const isVisitors = (post: Post) => isPublic(post) && post.author !== undefined && post.mention !== true;

  return Object.freeze({
    'POST page/feed': writesOf(WRITE, FEED, create),
    'GET post': reads('post', READ, [], (call, post) => drawOne(call, look, post)),
    'POST post': writes('post', WRITE, EDIT, update),
    'DELETE post': changes('post', WRITE, [], (_call, { id, story }) => {
      if (story !== undefined) throw unknownObject(id, 'delete');
      publication.remove(id);
    }),
    ...listed('feed', (post) => isOwn(post) || isVisitors(post)),
    ...listed('posts', isOwn),
    ...listed('published_posts', isOwn),
    ...listed('visitor_posts', isVisitors),
    ...listed('tagged', (post) => isPublic(post) && post.mention === true),
    ...listed('scheduled_posts', (post) => post.scheduled_at !== undefined && !post.is_published),
  });
}
