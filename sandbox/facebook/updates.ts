import type { Comment, Post } from './docs.ts';
import { graphTime, seconds } from '../graph/ids.ts';
import { fileUrl } from '../graph/world.ts';
import type { World } from './world.ts';

export type Feed = Readonly<{
  post(post: Post, verb: string): void;
  comment(comment: Comment, verb: string): void;
  reaction(
    about: Readonly<{ page_id: string; post_id: string; comment_id?: string; parent_id: string }>,
    actor: string,
    type: string,
    verb: string,
  ): void;
  mention(post: Post, comment?: Comment): void;
}>;

const itemOf = (post: Post) => {
  if (post.author !== undefined) return 'post';
  if (post.video !== undefined) return 'video';
  if (post.photos.length > 0) return 'photo';
  return post.link === undefined ? 'status' : 'share';
};

function makeDescriptions({ nodes, people, hosts }: World) {
  const fromOf = (page: string, author: string | undefined) =>
    author === undefined
      ? { id: page, name: nodes.get('page', page)?.name }
      : { id: people.psid(page, author), name: people.byId(author)?.name };

  const about = (post: Post) => ({
    status_type: post.status_type,
    is_published: post.is_published,
    updated_time: graphTime(post.updated_at),
    permalink_url: `${hosts.www()}/${post.page_id}/posts/${post.id.split('_').at(-1)}`,
    promotion_status: 'inactive',
    id: post.id,
  });

  return Object.freeze({ fromOf, about });
}

export function makeFeed(world: World): Feed {
  const { nodes, clock } = world;
  const { change } = world.updates;
  const { fromOf, about } = makeDescriptions(world);

  return Object.freeze({
    post(post: Post, verb: string) {
      change(post.page_id, 'feed', {
        from: fromOf(post.page_id, post.author),
        ...(verb !== 'remove' && post.message !== undefined && { message: post.message }),
        ...(post.photos.length === 1 && { photo_id: post.photos[0] }),
        ...(post.photos.length > 1 && { photo_ids: post.photos }),
        ...(post.video !== undefined && { video_id: post.video }),
        ...(post.link !== undefined && { link: post.link }),
        post_id: post.id,
        created_time: seconds(verb === 'remove' ? clock.now() : post.at),
        item: itemOf(post),
        verb,
        ...(verb !== 'remove' && { published: post.is_published ? 1 : 0 }),
      });
    },
    comment(comment: Comment, verb: string) {
      const post = nodes.get('post', comment.post_id);
      change(comment.page_id, 'feed', {
        from: fromOf(comment.page_id, comment.author),
        ...(post !== undefined && verb !== 'remove' && { post: about(post) }),
        ...(verb !== 'remove' && { message: comment.message }),
        ...(verb !== 'remove' && comment.attachment !== undefined && { photo: fileUrl(world, comment.attachment) }),
        ...(verb === 'edited' && { edited_time: seconds(clock.now()) }),
        post_id: comment.post_id,
        comment_id: comment.id,
        created_time: seconds(verb === 'remove' ? clock.now() : comment.at),
        item: 'comment',
        parent_id: comment.parent_id,
        verb,
      });
    },
    reaction(
      { page_id, post_id, comment_id, parent_id }: Parameters<Feed['reaction']>[0],
      actor: string,
      type: string,
      verb: string,
    ) {
      const from = actor === page_id ? fromOf(page_id, undefined) : fromOf(page_id, actor);
      change(page_id, 'feed', {
        reaction_type: type.toLowerCase(),
        from,
        parent_id,
        ...(comment_id !== undefined && { comment_id }),
        post_id,
        verb,
        item: 'reaction',
        created_time: seconds(clock.now()),
      });
    },
    mention(post: Post, comment?: Comment) {
      const author = fromOf(post.page_id, comment?.author ?? post.author);
      change(post.page_id, 'mention', {
        post_id: post.id,
        ...(comment !== undefined && { comment_id: comment.id }),
        item: comment === undefined ? 'post' : 'comment',
        verb: 'add',
        message: comment?.message ?? post.message,
        sender_id: author.id,
        sender_name: author.name,
        created_time: seconds(comment?.at ?? post.at),
      });
    },
  });
}
