/** How each product shows creators and posts: the name in both products, and the value. */
import type { FieldTable } from '../kit/api/listed.ts';
import { seconds } from '../kit/ids.ts';
import type { Creator, Post } from './docs.ts';
import type { Posts } from './posts.ts';
import type { Names } from './world.ts';

type Row<T> = readonly [developers: string, business: string, read: (thing: T) => unknown];

const tableOf = <T>(rows: readonly Row<T>[], column: 0 | 1): FieldTable<T> =>
  Object.fromEntries(
    rows.flatMap((row) =>
      row[column]
        .split(' ')
        .filter(Boolean)
        .map((name) => [name, row[2]]),
    ),
  );

export function makeViews(names: Names, posts: Posts) {
  const users: readonly Row<Creator>[] = [
    ['open_id', '', ({ id }) => names.openId('developers', id)],
    ['union_id', '', ({ id }) => names.uniqueId(id)],
    ['avatar_url avatar_url_100 avatar_large_url', 'profile_image', ({ id }) => names.avatarOf(id)],
    ['display_name', 'display_name', ({ name }) => name],
    ['username', 'username', ({ handle }) => handle],
    ['bio_description', 'bio_description', ({ name }) => `The account of ${name}`],
    ['is_verified', 'is_verified', () => false],
    ['', 'is_business_account', () => true],
    ['profile_deep_link', 'profile_deep_link', ({ id }) => names.profileOf(id)],
    ['follower_count', 'followers_count', ({ id }) => posts.followersOf(id)],
    ['following_count', 'following_count', () => 0],
    ['likes_count', 'total_likes', ({ id }) => posts.of(id).reduce((sum, { likes }) => sum + likes.length, 0)],
    ['video_count', 'videos_count', ({ id }) => posts.of(id).length],
  ];
  const videos: readonly Row<Post>[] = [
    ['id', 'item_id', ({ id }) => id],
    ['create_time', '', ({ at }) => seconds(at)],
    ['', 'create_time', ({ at }) => String(seconds(at))],
    ['title', '', ({ about }) => about.title || about.text],
    ['video_description', 'caption', ({ about }) => about.text],
    ['cover_image_url', 'thumbnail_url', posts.coverOf],
    ['share_url', 'share_url', posts.linkOf],
    ['embed_link', 'embed_url', posts.embedOf],
    ['embed_html', '', (post) => `<blockquote class="tiktok-embed" cite="${posts.linkOf(post)}"></blockquote>`],
    ['duration', 'video_duration', ({ about }) => (about.kind === 'video' ? 5 : 0)],
    ['height', '', () => 1920],
    ['width', '', () => 1080],
    ['', 'media_type', ({ about }) => about.kind.toUpperCase()],
    ['like_count', 'likes', ({ likes }) => likes.length],
    ['comment_count', 'comments', ({ id }) => posts.comments(id).length],
    ['share_count', 'shares', ({ shares }) => shares],
    ['view_count', 'video_views reach', ({ views }) => views],
    ['', 'favorites total_time_watched average_time_watched full_video_watched_rate', () => 0],
  ];
  const of = (column: 0 | 1) => Object.freeze({ user: tableOf(users, column), video: tableOf(videos, column) });
  return Object.freeze({ developers: of(0), business: of(1) });
}
