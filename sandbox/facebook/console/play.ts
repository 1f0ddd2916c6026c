import { PageError } from '../../forms.ts';
import { flag, long, oneOf, optional, pick, pickKept, short, type Acts } from '../../kit/acts.ts';
import type { Comments } from '../comments/comments.ts';
import { makeCast } from '../../graph/people/cast.ts';
import type { Comment, Post } from '../docs.ts';
import { newNumber } from '../../graph/ids.ts';
import type { Publication } from '../posts/publication.ts';
import type { Feed } from '../updates.ts';
import type { World } from '../world.ts';

const REACTIONS = Object.freeze(['LIKE', 'LOVE', 'CARE', 'HAHA', 'WOW', 'SAD', 'ANGRY', 'none']);

/** Attachments of comments other than photos. The API does not show polls. */
const ATTACHED = Object.freeze(['sticker', 'animated_image_share', 'video_inline', 'share', 'poll']);

type PlayParts = Readonly<{ comments: Comments; publication: Publication; feed: Feed }>;

function makeActionFields(world: World) {
  const { nodes, people } = world;
  const nameOf = (one: Comment | Post) => {
    const name = (one.author === undefined ? people.page(one.page_id) : people.byId(one.author))?.name;
    return `${'versions' in one ? name : `Comment of ${name}`}: ${short(one.message)}`;
  };
  const posts = () => nodes.list('post').filter(({ is_published }) => is_published);
  const post = pickKept('Post', (id) => nodes.get('post', id), posts, nameOf);
  const comment = pickKept(
    'Comment',
    (id) => nodes.get('comment', id),
    () => nodes.list('comment'),
    nameOf,
  );
  function publicThing(id: string): Post | Comment | undefined {
    const found = nodes.find(id);
    return (found?.kind === 'post' && found.doc.is_published) || found?.kind === 'comment' ? found.doc : undefined;
  }
  const both = () => [...post.offers(), ...comment.offers()];
  return Object.freeze({
    ...makeCast(world),
    on: pick('Post or comment', 'post or comment', publicThing, both),
    post,
    comment,
  });
}

function pageActs(world: World, { publication, comments }: PlayParts): Acts {
  const { act, page, on, post, comment } = makeActionFields(world);
  return {
    page_post: act('page', 'Post as the Page, without the app', { page, message: long('Text') }, (by) =>
      publication.create({
        is_published: true,
        page_id: by.page.id,
        by_app: false,
        status_type: 'mobile_status_update',
        message: by.message,
      }),
    ),
    page_comment: act('page', 'Comment as the Page, without the app', { on, message: long('Comment') }, (form) =>
      comments.create({ about: form.on.id, message: form.message, by_app: false }),
    ),
    page_hide: act('page', 'Hide or show a comment', { comment, hidden: optional(flag('Hidden')) }, (to) =>
      comments.hide(to.comment.id, to.hidden),
    ),
    page_delete: act('page', 'Delete a post, without the app', { post }, (to) => publication.remove(to.post.id)),
  };
}

function commentActs(world: World, { comments }: PlayParts): Acts {
  const { act, follower: person, on, comment, file } = makeActionFields(world);
  return {
    comment: act(
      'follower',
      'Comment on a post or answer a comment',
      {
        person,
        on,
        message: optional(long('Comment')),
        picture_url: file('Picture address'),
        attachment_type: optional(oneOf('What is attached, if it is no photo', ATTACHED)),
      },
      ({ message = '', picture_url: picture, attachment_type, ...by }) => {
        if (message === '' && picture === undefined && attachment_type === undefined)
          throw new PageError(400, 'Write a comment or attach something.');
        return comments.create({
          about: by.on.id,
          author: by.person.id,
          message,
          by_app: false,
          ...(picture !== undefined && { attachment: picture.id }),
          ...(attachment_type !== undefined && { attachment_type }),
        });
      },
    ),
    edit_comment: act('follower', 'Change a comment', { comment, message: long('New text') }, (to) =>
      comments.edit(to.comment.id, to.message),
    ),
    delete_comment: act('follower', 'Delete a comment', { comment }, (to) => comments.remove(to.comment.id)),
    react: act(
      'follower',
      'React to a post or comment',
      { person, on, type: oneOf('Reaction', REACTIONS) },
      ({ type, ...by }) => comments.react(by.on.id, by.person.id, type === 'none' ? undefined : type),
    ),
  };
}

/** What followers do in public, and what the people of a Page do without the app. */
export function makePlay(world: World, parts: PlayParts): Acts {
  const { comments, publication, feed } = parts;
  const { act, follower: person, page } = makeActionFields(world);

  return Object.freeze({
    ...commentActs(world, parts),
    visitor_post: act('follower', 'Post on a Page', { person, page, message: long('Text') }, ({ message, ...by }) =>
      publication.create({
        is_published: true,
        page_id: by.page.id,
        by_app: false,
        author: by.person.id,
        status_type: 'wall_post',
        message,
      }),
    ),
    mention: act(
      'follower',
      'Mention a Page in an own post',
      { person, page, message: long('Text'), in_comment: optional(flag('In a comment')) },
      ({ message, in_comment, ...by }) => {
        const [page_id, author] = [by.page.id, by.person.id];
        const post: Post = publication.create({
          is_published: true,
          page_id,
          by_app: false,
          author,
          mention: true,
          status_type: 'mobile_status_update',
          id: `${world.people.psid(page_id, author)}_${newNumber()}`,
          message: in_comment ? 'A post of mine' : message,
        });
        if (!in_comment) feed.mention(post);
        else feed.mention(post, comments.create({ about: post.id, author, message, by_app: false }));
        return post;
      },
    ),
    ...pageActs(world, parts),
  } satisfies Acts);
}
