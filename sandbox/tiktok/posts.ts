import { isLive } from '../kit/docs.ts';
import type { Comment, Post } from './docs.ts';
import type { Names, World } from './world.ts';

export type Posts = ReturnType<typeof makePosts>;

export function makePosts({ docs, hosts }: World, names: Names) {
  const comments = (post: string): readonly Comment[] => docs.listLive('comment').filter((one) => one.post === post);
  const isPublic = (post: Post): boolean => isLive(post) && post.public_at !== undefined;
  return Object.freeze({
    comments,
    isPublic,
    get: (id: string): Post | undefined => docs.getLive('post', id),
    /** The public posts of a creator, newest first. */
    of: (person: string): readonly Post[] => docs.list('post', { page: person }).filter(isPublic).toReversed(),
    linkOf: ({ id, page_id, about }: Post): string => `${names.profileOf(page_id)}/${about.kind}/${id}`,
    embedOf: ({ id }: Post): string => `${hosts.www()}/player/v1/${id}`,
    coverOf: ({ blobs, about, id }: Post): string =>
      about.kind === 'photo' && blobs[0] !== undefined ? `${hosts.cdn()}/${blobs[0]}` : names.avatarOf(id),
    followersOf: (account: string) =>
      docs.list('conversation', { page: account }).filter(({ follows }) => follows).length,
    /** A page of posts, newest first. The cursor is the time of its last post. */
    page(all: readonly Post[], cursor: number, size: number) {
      const rest = cursor === 0 ? all : all.filter(({ at }) => at < cursor);
      const page = rest.slice(0, size);
      return { page, cursor: page.at(-1)?.at ?? cursor, has_more: rest.length > page.length };
    },
  });
}
