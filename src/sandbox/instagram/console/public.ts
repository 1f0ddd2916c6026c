/** What is done in public: by followers, and by the people of an account without the app. */
import { PageError } from '../../forms.ts';
import { makeCast } from '../../graph/people/cast.ts';
import { flag, long, number, offered, optional, pick, short } from '../../kit/acts.ts';
import type { Acts } from '../../kit/acts.ts';
import type { Comments } from '../comments.ts';
import type { Comment, Draft, Media } from '../docs.ts';
import { makeNotices } from '../notices.ts';
import type { Posts } from '../posts.ts';
import type { World } from '../world.ts';

type Said = Readonly<{ posts: Posts; comments: Comments }>;

const DAY = 86_400_000;
const MOST_AT_ONCE = 1000;

/** The posts and comments that acts are about. */
export function makeBlanks(world: World) {
  const { nodes, people, clock } = world;
  const nameOf = ({ author, page_id }: Media | Comment) =>
    author === undefined ? people.page(page_id)?.username : people.byId(author)?.handle;
  const posts = (wanted: (post: Media) => boolean) => () =>
    offered(nodes.list('media').filter(wanted), (one) => `${nameOf(one)}: ${short(one.caption)}`);
  const comments = () => offered(nodes.list('comment'), (one) => `Comment of ${nameOf(one)}: ${short(one.text)}`);
  const isStory = ({ product }: Media) => product === 'STORY';
  const media = (id: string) => nodes.get('media', id);
  const comment = (id: string) => nodes.get('comment', id);
  return Object.freeze({
    ...makeCast(world),
    on: pick<Media | Comment>(
      'Post or comment',
      'post or comment',
      (id) => comment(id) ?? media(id),
      () => [...posts((one) => !isStory(one))(), ...comments()],
    ),
    comment: pick('Comment', 'comment', comment, comments),
    post: pick(
      'Post',
      'post',
      media,
      posts(() => true),
    ),
    story: pick(
      'Story',
      'story',
      media,
      posts((one) => isStory(one) && one.at + DAY > clock.now()),
    ),
  });
}

/** What followers do in public. */
export function publicActs(world: World, { posts, comments }: Said): Acts {
  const notices = makeNotices(world);
  const { act, follower: person, page, on, post, comment, media } = makeBlanks(world);
  return {
    comment: act(
      'follower',
      'Comment on a post or answer a comment',
      { person, on, text: long('Comment') },
      ({ text, ...by }) => {
        if (comments.postOf(by.on.id)?.product === 'STORY') throw new PageError(400, 'Stories have no comments.');
        return comments.create({ about: by.on.id, author: by.person.id, text, by_app: false });
      },
    ),
    delete_comment: act('follower', 'Delete a comment', { comment }, (to) => comments.remove(to.comment.id)),
    like: act('follower', 'Like a post or comment', { person, on }, (by) =>
      ('product' in by.on ? posts : comments).like(by.on.id, by.person.id, true),
    ),
    view: act('follower', 'See a post', { post, times: optional(number('Times')) }, ({ times = '1', ...by }) =>
      posts.view(by.post.id, Number(times)),
    ),
    mention: act(
      'follower',
      'Mention an account in an own post',
      {
        person,
        page,
        text: long('Text'),
        in_comment: optional(flag('In a comment')),
        tagged: optional(flag('In the picture')),
        picture_url: media('Picture address'),
      },
      ({ text, in_comment, tagged, picture_url, ...by }) => {
        const [author, name] = [by.person.id, `@${by.page.username}`];
        const said = text.includes(name) ? text : `${name} ${text}`;
        const draft: Draft = { product: 'FEED', caption: in_comment ? 'A post of mine' : said, media: picture_url };
        const made = posts.create(by.page.id, draft, { author, tagged });
        if (in_comment) return comments.create({ about: made.id, author, text: said, by_app: false });
        notices.mentioned(made);
        return made;
      },
    ),
  };
}

/** What the people of an account do themselves. */
export function accountActs(world: World, { posts, comments }: Said): Acts {
  const { act, page, on, post, comment, media } = makeBlanks(world);
  return {
    own_post: act(
      'page',
      'Post as the account, without the app',
      {
        page,
        text: long('Caption'),
        picture_url: media('Picture or film address'),
        story: optional(flag('As a story')),
        times: optional(number('How many')),
      },
      ({ text, picture_url, story, ...by }) => {
        const times = Math.min(Number(by.times ?? 1), MOST_AT_ONCE);
        const product = story ? 'STORY' : picture_url[0]?.type === 'VIDEO' ? 'REELS' : 'FEED';
        const one = (at: number) =>
          posts.create(by.page.id, { product, media: picture_url, caption: times === 1 ? text : `${text} ${at + 1}` });
        return Array.from({ length: times }, (_, at) => one(at)).at(-1);
      },
    ),
    own_comment: act('page', 'Comment as the account, without the app', { on, text: long('Comment') }, (said) =>
      comments.create({ about: said.on.id, text: said.text, by_app: false }),
    ),
    own_hide: act('page', 'Hide or show a comment', { comment, hidden: optional(flag('Hidden')) }, (to) =>
      comments.hide(to.comment.id, to.hidden),
    ),
    own_delete: act('page', 'Delete a post, without the app', { post }, (to) => posts.remove(to.post.id)),
  };
}
