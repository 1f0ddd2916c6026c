/** Mentions of a business account: lists, and details as long as the notification is recent. */
import { seconds } from '../../kit/ids.ts';
import type { Mention } from '../docs.ts';
import { noSuchThing } from '../errors.ts';
import type { Parts } from '../parts.ts';
import { cut, makeCalls, words, type Call } from './calls.ts';

const FRESH_MS = 48 * 3_600_000;

export function mentionRoutes(parts: Parts) {
  const { world, names, posts, mentions } = parts;
  const { docs, options } = world;
  const call = makeCalls(parts);
  function viewOf({ post: id, comment }: Mention, isAlone: boolean): object {
    const post = docs.get('post', id)!;
    const { at, likes, shares, views, page_id, about } = post;
    const links = { video_link: posts.linkOf(post), thumbnail_url: posts.coverOf(post) };
    const video = { item_id: id, caption: about.text, ...links };
    const content = docs.get('comment', comment ?? '');
    if (content === undefined) {
      const counts = { likes: likes.length, comments: posts.comments(id).length, shares, views };
      return {
        ...video,
        create_time: String(seconds(at)),
        creator_handle_name: names.creator(page_id).handle,
        ...counts,
      };
    }
    const { handle, name } = names.creator(content.author);
    // Lists have the author's display name, a single comment the handle.
    const who = isAlone ? { commenter_handle_name: handle } : { commenter_display_name: name };
    const what = { comment_id: content.id, comment_type: content.parent_id === undefined ? 'COMMENT' : 'REPLY' };
    const text = { comment_text: content.text, comment_create_time: String(seconds(content.at)) };
    const by = { ...who, comment_likes: content.likes.length };
    return { ...video, video_likes: likes.length, ...what, ...text, ...by };
  }
  function asked({ params }: Call, mention: Mention, isAlone: boolean): object {
    const thing = viewOf(mention, isAlone);
    const fields = params.list('fields')?.map(String) ?? Object.keys(thing);
    const unknown = fields.filter((name) => !(name in thing));
    if (unknown.length > 0) throw words.invalid(`fields: ${unknown.join(', ')} is not supported`);
    return Object.fromEntries(Object.entries(thing).filter(([name]) => fields.includes(name)));
  }
  return (['video', 'comment'] as const).flatMap((kind) => [
    call('GET', `/business/mention/${kind}/list/`, 'biz.brand.insights', (one) => {
      const { page, ...rest } = cut(one, mentions.of(one.caller.person, kind).toReversed(), 100);
      return { [`${kind}s`]: page.map((mention) => asked(one, mention, false)), ...rest };
    }),
    call('GET', `/business/mention/${kind}/get/`, 'biz.brand.insights', (one) => {
      const { params, caller } = one;
      const item = params.required('item_id');
      const comment = kind === 'comment' ? params.required('comment_id') : undefined;
      const isFresh = ({ at }: Mention) => at > options.clock.now() - FRESH_MS;
      const all = mentions.of(caller.person, kind).filter(isFresh);
      const found = all.find((mention) => mention.post === item && mention.comment === comment);
      if (found === undefined) throw noSuchThing('mention');
      const thing = asked(one, found, true);
      return { [kind]: kind === 'video' ? [thing] : thing };
    }),
  ]);
}
