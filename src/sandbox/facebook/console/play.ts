import { PageError } from '../../forms.ts';
import { isOn, long, maybe, must, there } from '../../kit/acts.ts';
import type { Acts, Values } from '../../kit/acts.ts';
import type { Comments } from '../comments/comments.ts';
import { makeCast, page, person } from '../../graph/people/cast.ts';
import type { Comment, Post } from '../docs.ts';
import { newNumber } from '../../graph/ids.ts';
import type { Publication } from '../posts/publication.ts';
import type { Feed } from '../updates.ts';
import type { World } from '../world.ts';

const thing = { label: 'Post or comment', kind: 'thing' } as const;
const comment = { label: 'Comment', kind: 'comment' } as const;
const REACTIONS = Object.freeze(['LIKE', 'LOVE', 'CARE', 'HAHA', 'WOW', 'SAD', 'ANGRY', 'none']);

type PlayParts = Readonly<{ comments: Comments; publication: Publication; feed: Feed }>;

/** What people do as a Page, without the app. */
function pageActs(
  world: World,
  parts: PlayParts,
  publicThing: (id: string) => void,
  commentOf: (values: Values) => Comment,
): Acts {
  const { store, nodes } = world;
  const { publication, comments } = parts;
  const { where } = makeCast(world);

  return {
    page_post: {
      group: 'page',
      title: 'Post as the Page, without the app',
      fields: { page, message: long('Text') },
      run: (values: Values) =>
        store.write(() =>
          publication.create({
            is_published: true,
            page_id: where(values).id,
            by_app: false,
            status_type: 'mobile_status_update',
            message: must(values, 'message'),
          }),
        ),
    },
    page_comment: {
      group: 'page',
      title: 'Comment as the Page, without the app',
      fields: { on: thing, message: long('Comment') },
      run(values: Values) {
        publicThing(must(values, 'on'));
        return store.write(() =>
          comments.create({ about: must(values, 'on'), message: must(values, 'message'), by_app: false }),
        );
      },
    },
    page_hide: {
      group: 'page',
      title: 'Hide or show a comment',
      fields: { comment, hidden: { label: 'Hidden', kind: 'flag', optional: true } },
      run: (values: Values) => store.write(() => comments.hide(commentOf(values).id, isOn(values['hidden']))),
    },
    page_delete: {
      group: 'page',
      title: 'Delete a post, without the app',
      fields: { post: { label: 'Post', kind: 'post' } },
      run: (values: Values) =>
        store.write(() => publication.remove(there(nodes.get('post', must(values, 'post')), 'post').id)),
    },
  };
}

/** Comments and reactions of followers. */
function commentActs(
  world: World,
  parts: PlayParts,
  publicThing: (id: string) => void,
  commentOf: (values: Values) => Comment,
): Acts {
  const { fileOf, who } = makeCast(world);
  const { store } = world;
  const { comments } = parts;

  return {
    comment: {
      group: 'follower',
      title: 'Comment on a post or answer a comment',
      fields: {
        person,
        on: thing,
        message: long('Comment'),
        picture_url: maybe('Picture address'),
      },
      async run(values: Values) {
        publicThing(must(values, 'on'));
        const attachment = await fileOf(values['picture_url']);
        const draft = {
          about: must(values, 'on'),
          author: who(values).id,
          message: must(values, 'message'),
          by_app: false,
        };
        return store.write(() =>
          comments.create({ ...draft, ...(attachment !== undefined && { attachment: attachment.id }) }),
        );
      },
    },
    edit_comment: {
      group: 'follower',
      title: 'Change a comment',
      fields: { comment, message: long('New text') },
      run: (values: Values) => store.write(() => comments.edit(commentOf(values).id, must(values, 'message'))),
    },
    delete_comment: {
      group: 'follower',
      title: 'Delete a comment',
      fields: { comment },
      run: (values: Values) => store.write(() => comments.remove(commentOf(values).id)),
    },
    react: {
      group: 'follower',
      title: 'React to a post or comment',
      fields: {
        person,
        on: thing,
        type: { label: 'Reaction', kind: 'choice', choices: REACTIONS },
      },
      run(values: Values) {
        publicThing(must(values, 'on'));
        const type = must(values, 'type');
        return store.write(() =>
          comments.react(must(values, 'on'), who(values).id, type === 'none' ? undefined : type),
        );
      },
    },
  };
}
/** What followers do in public, and what a Page's own people do without the app. */
export function makePlay(world: World, parts: PlayParts): Acts {
  const { store, nodes, people } = world;
  const { comments, publication, feed } = parts;

  const { who, where } = makeCast(world);
  const commentOf = (values: Values): Comment => there(nodes.get('comment', must(values, 'comment')), 'comment');
  /** A post or comment others can see. */
  function publicThing(id: string): void {
    const found = nodes.find(id);
    const isThere = (found?.kind === 'post' && found.doc.is_published) || found?.kind === 'comment';
    if (!isThere || found.doc.deleted_at !== undefined) throw new PageError(404, 'There is no such post or comment.');
  }

  return Object.freeze({
    ...commentActs(world, parts, publicThing, commentOf),
    visitor_post: {
      group: 'follower',
      title: 'Post on a Page',
      fields: { person, page, message: long('Text') },
      run: (values: Values) =>
        store.write(() =>
          publication.create({
            is_published: true,
            page_id: where(values).id,
            by_app: false,
            author: who(values).id,
            status_type: 'wall_post',
            message: must(values, 'message'),
          }),
        ),
    },
    mention: {
      group: 'follower',
      title: 'Mention a Page in an own post',
      fields: {
        person,
        page,
        message: long('Text'),
        in_comment: { label: 'In a comment', kind: 'flag', optional: true },
      },
      run(values: Values) {
        const { id: page_id } = where(values);
        const author = who(values).id;
        const message = must(values, 'message');
        return store.write(() => {
          const about = {
            is_published: true,
            page_id,
            by_app: false,
            author,
            mention: true,
            status_type: 'mobile_status_update',
          };
          const post: Post = publication.create({
            ...about,
            id: `${people.psid(page_id, author)}_${newNumber()}`,
            message: isOn(values['in_comment']) ? 'A post of mine' : message,
          });
          if (!isOn(values['in_comment'])) feed.mention(post);
          else feed.mention(post, comments.create({ about: post.id, author, message, by_app: false }));
          return post;
        });
      },
    },
    ...pageActs(world, parts, publicThing, commentOf),
  } satisfies Acts);
}
