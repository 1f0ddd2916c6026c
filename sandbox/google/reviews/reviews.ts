import { tableOf } from '#kernel/text/table.ts';
import type { GoogleCall, GoogleRoute } from '../../googleapis/calls.ts';
import { notFound } from '../../googleapis/errors.ts';
import { listed } from '../../googleapis/paging.ts';
import { randomText } from '../../kit/ids.ts';
import type { Reply, Review } from '../docs.ts';
import { on } from '../places/routes.ts';
import type { Places } from '../places/places.ts';
import { invalidField, notVerified } from '../refusals.ts';
import { fileUrl, googleTime, pictureOf, type World } from '../world.ts';
import type { Notices } from './notices.ts';

const STARS = Object.freeze(['ONE', 'TWO', 'THREE', 'FOUR', 'FIVE']);
const MOST_LISTED = 50;
const LONGEST_REPLY = 4096;

const ORDERS: ReadonlyMap<string, (a: Review, b: Review) => number> = tableOf({
  rating: (a, b) => a.stars - b.stars,
  'rating desc': (a, b) => b.stars - a.stars,
  'updateTime desc': (a, b) => b.updated_at - a.updated_at,
});
const NORMAL_ORDER = 'updateTime desc';

export type Opinion = Readonly<{ stars: number; comment?: string; is_anonymous: boolean; blob?: string }>;

export type Reviews = ReturnType<typeof makeReviews>;

export function makeReviews(world: World, notices: Notices) {
  const { docs, options, settings } = world;
  const { clock, store } = options;
  const of = (location: string) => docs.listLive('review', { page: location });

  return Object.freeze({
    of,
    all: () => docs.listLive('review'),
    /** The reviews that the API already finds. */
    found: (location: string) => of(location).filter(({ at }) => at + settings.get('review_lag_ms') <= clock.now()),
    /** A person has one review per location; a new one replaces the old one. */
    write(person: string, location: string, opinion: Opinion): Review {
      return store.write(() => {
        const now = clock.now();
        const before = of(location).find((one) => one.person === person);
        const { id, at, reply } = before ?? { id: `AbFvOq${randomText(24)}`, at: now };
        const made = { ...opinion, id, at, page_id: location, person, updated_at: now, ...(reply && { reply }) };
        const review = docs.put('review', made);
        notices.review(review, before === undefined ? 'NEW_REVIEW' : 'UPDATED_REVIEW');
        return review;
      });
    },
    remove: (id: string) => store.write(() => docs.change('review', id, { deleted_at: clock.now() })),
    reply(id: string, comment: string): Review {
      const isRejected = settings.get('reply_verdict') === 'REJECTED';
      const reply: Reply = {
        comment,
        updated_at: clock.now(),
        verdict: isRejected ? 'REJECTED' : 'APPROVED',
        ...(isRejected && { violation: settings.get('reply_violation') }),
        decided_at: clock.now() + settings.get('reply_review_ms'),
      };
      return store.write(() => docs.change('review', id, { reply }));
    },
    judge({ id, reply }: Review, verdict: Reply['verdict'], violation?: string): Review {
      const { violation: _before, ...kept } = reply!;
      const made = { ...kept, verdict, decided_at: clock.now(), ...(violation !== undefined && { violation }) };
      return store.write(() => docs.change('review', id, { reply: made }));
    },
    removeReply: (id: string) => store.write(() => docs.put('review', withoutReply(docs.get('review', id)!))),
    stateOf: ({ decided_at, verdict }: Reply) => (decided_at > clock.now() ? 'PENDING' : verdict),
  });
}

const withoutReply = ({ reply: _gone, ...review }: Review): Review => review;

/** A reply. The reason for a rejection is shown together with the rejection. */
function replyView({ settings }: World, reviews: Reviews, reply: Reply): object {
  const state = reviews.stateOf(reply);
  const { comment, updated_at, violation } = reply;
  return {
    comment,
    updateTime: googleTime(updated_at),
    [settings.get('reply_state_name')]: state,
    ...(state === 'REJECTED' && { policyViolation: violation }),
  };
}

function viewOf(world: World, reviews: Reviews, account: string, review: Review): object {
  const { id, page_id, person, is_anonymous, stars, comment, blob, at, updated_at, reply } = review;
  const reviewer = is_anonymous
    ? { displayName: 'A Google user', isAnonymous: true }
    : { profilePhotoUrl: pictureOf(world, person), displayName: world.people.byId(person)?.name };
  return {
    name: `accounts/${account}/locations/${page_id}/reviews/${id}`,
    reviewId: id,
    reviewer,
    starRating: STARS[stars - 1],
    ...(comment !== undefined && { comment }),
    createTime: googleTime(at),
    updateTime: googleTime(updated_at),
    ...(reply && { reviewReply: replyView(world, reviews, reply) }),
    ...(blob !== undefined && { reviewMediaItems: [{ thumbnailUrl: fileUrl(world, blob) }] }),
    reviewReplyUrl: `${world.hosts.maps()}/reviews/reply/${id}`,
  };
}

export function reviewRoutes(world: World, places: Places, reviews: Reviews): readonly GoogleRoute[] {
  const whereFor = ({ caller, path }: GoogleCall) => places.locationFor(caller, path['location']!, path['account']);
  const show = (account: string, review: Review) => viewOf(world, reviews, account, review);
  function reviewFor(call: GoogleCall): Review {
    const found = reviews.found(whereFor(call).id).find(({ id }) => id === call.path['review']);
    if (found === undefined) throw notFound();
    return found;
  }
  function orderOf(given: string | undefined): (a: Review, b: Review) => number {
    const order = given?.trim() || NORMAL_ORDER;
    if (!ORDERS.has(order)) throw invalidField('order_by', 'The order is not known.', order.slice(0, 80));
    return ORDERS.get(order)!;
  }
  function list(call: GoogleCall): object {
    const { path, params } = call;
    const order = orderOf(params.text('orderBy'));
    const all = reviews.found(whereFor(call).id).toReversed().toSorted(order);
    const bound = params.text('orderBy') ?? '';
    const { items, next } = listed(call, all, { most: MOST_LISTED, normal: MOST_LISTED, bound });
    if (all.length === 0) return {};
    const averageRating = Math.round((all.reduce((sum, { stars }) => sum + stars, 0) / all.length) * 10) / 10;
    return {
      reviews: items.map((one) => show(path['account']!, one)),
      averageRating,
      totalReviewCount: all.length,
      ...next,
    };
  }
  function putReply(call: GoogleCall): object {
    const review = reviewFor(call);
    if (places.location(review.page_id)?.has_voice !== true) throw notVerified();
    const comment = call.params.text('comment') ?? '';
    if (comment.trim() === '') throw invalidField('comment', 'The reply is empty.');
    if (Buffer.byteLength(comment) > LONGEST_REPLY)
      throw invalidField('comment', `The reply has more than ${LONGEST_REPLY} bytes.`);
    return replyView(world, reviews, reviews.reply(review.id, comment).reply!);
  }
  function removeReply(call: GoogleCall): object {
    const { id, reply } = reviewFor(call);
    if (reply === undefined) throw notFound();
    reviews.removeReply(id);
    return {};
  }
  const base = '/v4/accounts/{account}/locations/{location}/reviews';
  const paging = ['pageSize', 'pageToken', 'orderBy'];
  return [
    on('GET', base, paging, list),
    on('GET', `${base}/{review}`, [], (call) => show(call.path['account']!, reviewFor(call))),
    on('PUT', `${base}/{review}/reply`, ['comment', 'updateTime'], putReply),
    on('DELETE', `${base}/{review}/reply`, [], removeReply),
  ];
}
