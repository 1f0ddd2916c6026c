/** The public side: locations on Maps with their posts, photos and reviews. */
import type { Context } from 'koa';
import { html, type Html } from '../../html.ts';
import { drawVisual, drawOffers, drawPost, drawContentWithAuthor } from '../../kit/drawing.ts';
import { showPublic } from '../../kit/public.ts';
import type { Offer } from '../../twin.ts';
import { ABOUT } from '../about.ts';
import { summaryOf } from '../content/posts.ts';
import type { LocalPost, Location, MediaItem, Review } from '../docs.ts';
import { hasPlaceId } from '../places/places.ts';
import { fileUrl, placeUrl, postUrl } from '../world.ts';
import type { Played } from './acts.ts';

const SLUG = { slug: ABOUT.slug, network: ABOUT.title };

const starsOf = (stars: number) => `${'★'.repeat(stars)}${'☆'.repeat(5 - stars)}`;

function makeDrawing({ world, places, posts, media, reviews }: Played) {
  const { people } = world;
  const drawPhoto = (blob: string): Html => drawVisual(false, fileUrl(world, blob));
  const drawItem = ({ format, blob }: MediaItem): Html => drawVisual(format !== 'PHOTO', fileUrl(world, blob));

  function drawLocalPost(post: LocalPost, offer?: Offer): Html {
    const { id, page_id, by_app, at, fields } = post;
    const state = posts.stateOf(post);
    const { event, callToAction } = fields as { event?: { title: string }; callToAction?: { actionType: string } };
    return drawPost({
      author: places.location(page_id)?.title,
      badges: [offer && by_app && 'by the app', offer && state !== 'LIVE' && state.toLowerCase(), event?.title],
      text: summaryOf(post),
      media: html`${post.media.map(drawPhoto)} ${callToAction !== undefined && html`<p>${callToAction.actionType}</p>`}`,
      at,
      path: postUrl(world, page_id, id),
      note: html` <code>${id}</code>`,
      offers: drawOffers(offer, { post: id }, { judge_post: 'Decide' }),
    });
  }
  function drawReview(review: Review, offer?: Offer): Html {
    const { id, page_id, person, is_anonymous, stars, comment, blob, at, reply } = review;
    const state = reply && reviews.stateOf(reply);
    const isVisible = offer !== undefined || state === 'APPROVED';
    const answer =
      reply !== undefined && isVisible
        ? [
            drawContentWithAuthor({
              isOwn: true,
              author: `${places.location(page_id)?.title} (owner)`,
              badges: [state !== 'APPROVED' && state?.toLowerCase()],
              text: reply.comment,
              at: reply.updated_at,
              offers: drawOffers(offer, { review: id }, { judge_reply: 'Decide' }),
            }),
          ]
        : [];
    return drawPost({
      author: is_anonymous ? 'A Google user' : people.byId(person)?.name,
      badges: [starsOf(stars), offer && places.location(page_id)?.title],
      text: comment,
      media: blob !== undefined && drawPhoto(blob),
      at,
      offers: drawOffers(offer, { review: id }, { edit_review: 'Change', remove_review: 'Delete' }),
      below: answer,
    });
  }
  function drawPlace(location: Location, only?: LocalPost): Html {
    const { id, title, description } = location;
    const visiblePosts = only === undefined ? posts.live(id).toReversed() : [only];
    return html`<h1>${title}</h1>
      <p>${description}</p>
      ${only !== undefined && html`<p><a href="${placeUrl(world, id)}">All of this place</a></p>`}
      ${visiblePosts.filter((post) => posts.stateOf(post) === 'LIVE').map((post) => drawLocalPost(post))}
      ${
        only === undefined &&
        html`<h2>Photos</h2>
          ${media.live(id).map(drawItem)}
          <h2>Reviews</h2>
          ${reviews
            .of(id)
            .toReversed()
            .map((review) => drawReview(review))}`
      }`;
  }

  return { drawLocalPost, drawReview, drawPlace };
}

export function makeMaps(played: Played) {
  const { world, places, posts, reviews } = played;
  const { docs } = world;
  const { drawLocalPost, drawReview, drawPlace } = makeDrawing(played);

  return Object.freeze({
    /** Serves the area `maps`; other paths are 404. */
    visit(ctx: Context, rest: readonly string[]): void {
      const query = ctx.URL.searchParams;
      const place = places.location(query.get('cid') ?? query.get('id') ?? '');
      const path = rest.join('/');
      if (path === 'maps' && place !== undefined) showPublic(ctx, SLUG, place.title, drawPlace(place));
      else if (path === 'place' && place !== undefined) {
        const post = docs.getLive('post', query.get('lpsid') ?? '');
        const isPublic = post?.page_id === place.id && posts.stateOf(post) === 'LIVE';
        if (isPublic) showPublic(ctx, SLUG, place.title, drawPlace(place, post));
      } else if (path === 'local/writereview') {
        const found = docs.list('location').find(hasPlaceId(query.get('placeid') ?? ''));
        if (found !== undefined) ctx.redirect(placeUrl(world, found.id));
      }
    },
    /** The newest posts and reviews to show in the console. */
    latest(count: number, offer?: Offer): readonly Html[] {
      const all = [
        ...docs.listLive('post').map((post) => ({ at: post.at, draw: () => drawLocalPost(post, offer) })),
        ...reviews.all().map((review) => ({ at: review.updated_at, draw: () => drawReview(review, offer) })),
      ];
      return all
        .toSorted((a, b) => b.at - a.at)
        .slice(0, count)
        .map(({ draw }) => draw());
    },
  });
}
