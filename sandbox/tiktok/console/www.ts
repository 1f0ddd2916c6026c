/** The public website: creators, posts, comments and the consent page. */
import { html, type Html } from '../../html.ts';
import { drawOffers, drawPost, drawContentWithAuthor, drawVisual, likesNote } from '../../kit/drawing.ts';
import { makeSite } from '../../kit/site.ts';
import type { Offer } from '../../twin.ts';
import { ABOUT } from '../about.ts';
import type { Comment, Post } from '../docs.ts';
import type { Parts } from '../parts.ts';

const LABELS = Object.freeze({
  PUBLIC_TO_EVERYONE: false,
  MUTUAL_FOLLOW_FRIENDS: 'friends',
  FOLLOWER_OF_CREATOR: 'followers',
  SELF_ONLY: 'only me',
});

export function openSite({ world: { docs, people, options }, names, posts, comments, login }: Parts) {
  function drawComment(comment: Comment, offer?: Offer): Html {
    const { id, author, page_id, text, at, status } = comment;
    const below = comments.repliesTo(id).filter((one) => offer !== undefined || one.status === 'PUBLIC');
    return drawContentWithAuthor({
      isOwn: author === page_id,
      author: names.creator(author).name,
      badges: [status === 'HIDDEN' && 'hidden'],
      text,
      at,
      note: likesNote(comment),
      offers: drawOffers(offer, { comment: id }, { reply: 'Reply', like_comment: 'Like' }),
      below: below.map((one) => drawComment(one, offer)),
    });
  }
  function draw(post: Post, offer?: Offer): Html {
    const { id, page_id, about, blobs, at, by_app, deleted_at, public_at, views } = post;
    const url = (blob: string) => `/sandbox/${ABOUT.slug}/cdn/${blob}`;
    const isWaiting = about.privacy === 'PUBLIC_TO_EVERYONE' && public_at === undefined && 'in moderation';
    const isVisible = (one: Comment) => one.parent_id === undefined && (offer !== undefined || one.status === 'PUBLIC');
    return drawPost({
      author: names.creator(page_id).name,
      badges: [
        offer && by_app && 'by the app',
        deleted_at !== undefined && 'deleted',
        LABELS[about.privacy],
        isWaiting,
      ],
      text: html`${about.title !== '' && html`<strong>${about.title}</strong> `}${about.text}`,
      media: blobs.map((blob) => drawVisual(about.kind !== 'photo', url(blob))),
      at,
      ...(posts.isPublic(post) && { path: new URL(posts.linkOf(post)).pathname }),
      note: html` · views ${views}${likesNote(post)}`,
      offers:
        deleted_at === undefined &&
        drawOffers(offer, { post: id }, { comment: 'Comment', like: 'Like', view: 'Watch', take_down: 'Take down' }),
      below: posts
        .comments(id)
        .filter(isVisible)
        .map((one) => drawComment(one, offer)),
    });
  }

  return makeSite<Post>({
    about: ABOUT,
    dialog: login.consent,
    isDialog: (path) => path === 'v2/auth/authorize',
    at([first = '', kind, id = '', ...more]) {
      const creator = first.startsWith('@') && people.all().find(({ handle }) => handle === first.slice(1));
      if (!creator || more.length > 0) return undefined;
      if (kind === undefined) return { name: creator.name, about: first, posts: posts.of(creator.id) };
      return { post: posts.of(creator.id).find((post) => post.id === id && post.about.kind === kind) };
    },
    isPublic: posts.isPublic,
    nameOf: ({ page_id }) => names.creator(page_id).name,
    seen: ({ id, views }) => options.store.write(() => docs.change('post', id, { views: views + 1 })),
    draw,
    posts: () => docs.list('post'),
  });
}
