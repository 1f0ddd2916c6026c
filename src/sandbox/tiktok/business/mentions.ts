/** Who named a business account: lists, and the details of a push while it is fresh. */
import { seconds } from '../../kit/ids.ts';
import type { Mention } from '../docs.ts';
import { noSuchThing } from '../errors.ts';
import type { Parts } from '../parts.ts';
import { cut, makeCalls } from './calls.ts';

const FRESH_MS = 48 * 3_600_000;

export function mentionRoutes(parts: Parts) {
  const { world, names, posts, mentions } = parts;
  const { docs, options } = world;
  const call = makeCalls(parts);
  function shown({ post: id, comment }: Mention): object {
    const post = docs.get('post', id)!;
    const { at, likes, shares, views, page_id, about } = post;
    const links = { video_link: posts.linkOf(post), thumbnail_url: posts.coverOf(post) };
    const video = { item_id: id, caption: about.text, ...links };
    const said = docs.get('comment', comment ?? '');
    if (said === undefined) {
      const counts = { likes: likes.length, comments: posts.comments(id).length, shares, views };
      return {
        ...video,
        create_time: String(seconds(at)),
        creator_handle_name: names.creator(page_id).handle,
        ...counts,
      };
    }
    const { handle: commenter_handle_name, name: commenter_display_name } = names.creator(said.author);
    const what = { comment_id: said.id, comment_type: said.parent_id === undefined ? 'COMMENT' : 'REPLY' };
    const text = { comment_text: said.text, comment_create_time: String(seconds(said.at)) };
    const by = { commenter_handle_name, commenter_display_name, comment_likes: said.likes.length };
    return { ...video, video_likes: likes.length, ...what, ...text, ...by };
  }
  return (['video', 'comment'] as const).flatMap((kind) => [
    call('GET', `/business/mention/${kind}/list/`, 'biz.brand.insights', (one) => {
      const { page, ...rest } = cut(one, mentions.of(one.caller.person, kind).toReversed(), 100);
      return { [`${kind}s`]: page.map(shown), ...rest };
    }),
    call('GET', `/business/mention/${kind}/get/`, 'biz.brand.insights', ({ params, caller }) => {
      const item = params.required('item_id');
      const comment = kind === 'comment' ? params.required('comment_id') : undefined;
      const isFresh = ({ at }: Mention) => at > options.clock.now() - FRESH_MS;
      const all = mentions.of(caller.person, kind).filter(isFresh);
      const found = all.find((one) => one.post === item && one.comment === comment);
      if (found === undefined) throw noSuchThing('mention');
      return { [kind]: kind === 'video' ? [shown(found)] : shown(found) };
    }),
  ]);
}
