/** What is done in public: by followers, and by the people of an account without the app. */
import { PageError } from '../../forms.ts';
import { newId } from '../../graph/ids.ts';
import { makeCast, page, person } from '../../graph/people/cast.ts';
import { flag, isOn, long, maybe, must, number, there } from '../../kit/acts.ts';
import type { Act, Acts, Values } from '../../kit/acts.ts';
import type { Comments } from '../comments.ts';
import type { Draft, Medium } from '../docs.ts';
import { makeNotices } from '../notices.ts';
import type { Posts } from '../posts.ts';
import type { World } from '../world.ts';

type Said = Readonly<{ posts: Posts; comments: Comments }>;

const MOST_AT_ONCE = 1000;
const on = { label: 'Post or comment', kind: 'thing' } as const;
const comment = { label: 'Comment', kind: 'comment' } as const;
const post = { label: 'Post', kind: 'post' } as const;
export const act = (group: string, title: string, fields: Act['fields'], run: Act['run']): Act => ({
  group,
  title,
  fields,
  run,
});

/** Reads the file at an address as what a post shows. */
const mediaFor = (world: World) => {
  const { fileOf } = makeCast(world);
  return async (url: string | undefined): Promise<readonly Medium[]> => {
    const blob = await fileOf(url);
    const type = blob?.mime.startsWith('video/') === true ? 'VIDEO' : 'IMAGE';
    return blob === undefined ? [] : [{ id: newId(), type, blob: blob.id }];
  };
};

const commentOf = ({ nodes }: World, values: Values) => there(nodes.get('comment', must(values, 'comment')), 'comment');
const postOf = ({ nodes }: World, values: Values) => there(nodes.get('media', must(values, 'post')), 'post');

/** What followers do in public. */
export function publicActs(world: World, { posts, comments }: Said): Acts {
  const { store, nodes } = world;
  const { who, where } = makeCast(world);
  const notices = makeNotices(world);
  const mediaOf = mediaFor(world);
  return {
    comment: act(
      'follower',
      'Comment on a post or answer a comment',
      { person, on, text: long('Comment') },
      (values) => {
        if (comments.postOf(must(values, 'on'))?.product === 'STORY')
          throw new PageError(400, 'Stories have no comments.');
        const said = { about: must(values, 'on'), author: who(values).id, text: must(values, 'text'), by_app: false };
        return store.write(() => comments.create(said));
      },
    ),
    delete_comment: act('follower', 'Delete a comment', { comment }, (values) =>
      store.write(() => comments.remove(commentOf(world, values).id)),
    ),
    like: act('follower', 'Like a post or comment', { person, on }, (values) =>
      store.write(() =>
        (nodes.get('comment', must(values, 'on')) === undefined ? posts : comments).like(
          must(values, 'on'),
          who(values).id,
          true,
        ),
      ),
    ),
    view: act('follower', 'See a post', { post, times: { ...number('Times'), optional: true } }, (values) =>
      store.write(() => {
        const { id, views } = postOf(world, values);
        return nodes.change('media', id, { views: views + Number(values['times'] ?? 1) });
      }),
    ),
    mention: act(
      'follower',
      'Mention an account in an own post',
      {
        person,
        page,
        text: long('Text'),
        in_comment: { ...flag('In a comment'), optional: true },
        tagged: { ...flag('In the picture'), optional: true },
        picture_url: maybe('Picture address'),
      },
      async (values) => {
        const { id, username } = where(values);
        const author = who(values).id;
        const said = must(values, 'text').includes(`@${username}`)
          ? must(values, 'text')
          : `@${username} ${must(values, 'text')}`;
        const inComment = isOn(values['in_comment']);
        const media = await mediaOf(values['picture_url']);
        return store.write(() => {
          const draft: Draft = { product: 'FEED', caption: inComment ? 'A post of mine' : said, media };
          const post = posts.create(id, draft, { author, tagged: isOn(values['tagged']) });
          if (!inComment) notices.mentioned(post);
          return inComment ? comments.create({ about: post.id, author, text: said, by_app: false }) : post;
        });
      },
    ),
  };
}

/** What the people of an account do themselves. */
export function accountActs(world: World, { posts, comments }: Said): Acts {
  const { store } = world;
  const { where } = makeCast(world);
  const mediaOf = mediaFor(world);
  return {
    own_post: act(
      'page',
      'Post as the account, without the app',
      {
        page,
        text: long('Caption'),
        picture_url: maybe('Picture or film address'),
        story: { ...flag('As a story'), optional: true },
        times: { ...number('How many'), optional: true },
      },
      async (values) => {
        const media = await mediaOf(values['picture_url']);
        const { id } = where(values);
        const times = Math.min(Number(values['times'] ?? 1), MOST_AT_ONCE);
        const product = isOn(values['story']) ? 'STORY' : media[0]?.type === 'VIDEO' ? 'REELS' : 'FEED';
        return store.write(() => {
          const one = (at: number) =>
            posts.create(id, {
              product,
              media,
              caption: times === 1 ? must(values, 'text') : `${must(values, 'text')} ${at + 1}`,
            });
          return Array.from({ length: times }, (_, at) => one(at)).at(-1);
        });
      },
    ),
    own_comment: act('page', 'Comment as the account, without the app', { on, text: long('Comment') }, (values) =>
      store.write(() => comments.create({ about: must(values, 'on'), text: must(values, 'text'), by_app: false })),
    ),
    own_hide: act(
      'page',
      'Hide or show a comment',
      { comment, hidden: { ...flag('Hidden'), optional: true } },
      (values) => store.write(() => comments.hide(commentOf(world, values).id, isOn(values['hidden']))),
    ),
    own_delete: act('page', 'Delete a post, without the app', { post }, (values) =>
      store.write(() => posts.remove(postOf(world, values).id)),
    ),
  };
}
