/** What reviewers, owners and Google's staff do, for the console and the control API. */
import type { makeGoogleApi } from '../../googleapis/api.ts';
import type { GoogleLogin } from '../../googleapis/login.ts';
import {
  actsIn,
  byName,
  flag,
  long,
  maybe,
  maybeOne,
  number,
  oneOf,
  optional,
  pick,
  pickKept,
  short,
  text,
  there,
  type Acts,
  type ActTable,
  type Filled,
} from '../../kit/acts.ts';
import { fileField, pickPerson } from '../../kit/action-fields.ts';
import { worldActs } from '../../kit/world.ts';
import type { Media } from '../content/media.ts';
import { summaryOf, type Posts } from '../content/posts.ts';
import { ACCOUNT_TYPES, type AccountType } from '../docs.ts';
import type { Places } from '../places/places.ts';
import type { Notices } from '../reviews/notices.ts';
import type { Reviews } from '../reviews/reviews.ts';
import type { World } from '../world.ts';

export type Played = Readonly<{
  world: World;
  places: Places;
  posts: Posts;
  media: Media;
  reviews: Reviews;
  notices: Notices;
  login: GoogleLogin;
  api: ReturnType<typeof makeGoogleApi>;
}>;

const lastOf = (name: string): string => name.split('/').at(-1)!;

/** The fields of actions. Things can be named as in the API, by id or by name. */
function makeActionFields({ world: { docs, people, fetching, options }, places, reviews }: Played) {
  const titleOf = (id: string) => places.location(id)?.title;
  const titled = () => docs.list('location').map(({ id, title }) => ({ id, name: title }));
  const called = (all: readonly Readonly<{ id: string; name: string }>[], words: string) =>
    all.find(({ id, name }) => [id, name].includes(lastOf(words)))?.id ?? '';
  const picture = fileField(fetching, 'Picture address');
  return {
    act: actsIn(options.store),
    person: pickPerson('Who', people.find, people.followers),
    owner: pickPerson('Who', people.find, people.owners),
    location: pick(
      'Location',
      'location',
      (words) => places.location(called(titled(), words)),
      () => byName(titled()),
    ),
    account: pick(
      'Account',
      'account',
      (words) => places.account(called(docs.list('account'), words)),
      () => byName(docs.list('account')),
    ),
    review: pickKept(
      'Review',
      (name) => docs.get('review', lastOf(name)),
      reviews.all,
      ({ page_id, person: by, stars, comment }) =>
        `${people.byId(by)?.name} of ${titleOf(page_id)}, ${stars}: ${short(comment)}`,
    ),
    post: pickKept(
      'Post',
      (name) => docs.get('post', lastOf(name)),
      () => docs.list('post'),
      (post) => `${titleOf(post.page_id)}: ${short(summaryOf(post))}`,
    ),
    picture,
    photo: {
      ...text('Picture address'),
      read: async (url = '') => ({ url, blob: there(await picture.read(url), 'picture').id }),
    },
  };
}
type ActionFields = ReturnType<typeof makeActionFields>;

function reviewerActs({ reviews, media, notices }: Played, actionFields: ActionFields): Acts {
  const { act, person, location, review, picture, photo } = actionFields;
  const opinion = {
    stars: oneOf('Stars', ['5', '4', '3', '2', '1']),
    text: optional(long('Text; empty is a rating alone')),
    translation: maybe('Its translation by Google'),
    anonymous: optional(flag('Anonymous')),
    picture_url: picture,
  };
  function opinionOf({ stars, text: words, translation, anonymous, picture_url }: Filled<typeof opinion>) {
    const translated = `(Translated by Google) ${translation}\n\n(Original)\n${words}`;
    const comment = words !== undefined && translation !== undefined ? translated : words;
    return {
      stars: Number(stars),
      is_anonymous: anonymous,
      ...(comment !== undefined && { comment }),
      ...(picture_url !== undefined && { blob: picture_url.id }),
    };
  }
  return {
    write_review: act('reviewer', 'Write a review', { person, location, ...opinion }, (form) =>
      reviews.write(form.person.id, form.location.id, opinionOf(form)),
    ),
    edit_review: act('reviewer', 'Change a review', { review, ...opinion }, (form) =>
      reviews.write(form.review.person, form.review.page_id, opinionOf(form)),
    ),
    remove_review: act('reviewer', 'Delete a review', { review }, (it) => reviews.remove(it.review.id)),
    customer_photo: act('reviewer', 'Add a photo of a place', { person, location, picture_url: photo }, (by) => {
      const { url: sourceUrl, blob } = by.picture_url;
      const draft = {
        format: 'PHOTO',
        category: 'ADDITIONAL',
        blob,
        source: { sourceUrl },
        author: by.person.id,
      } as const;
      const item = media.add(by.location, draft);
      notices.photo(item);
      return item;
    }),
  };
}

function ownerActs({ places, posts, reviews, world: { docs } }: Played, actionFields: ActionFields): Acts {
  const { act, owner: person, location, account, post, review } = actionFields;
  return {
    own_post: {
      group: 'owner',
      title: 'Post without the app',
      fields: { location, text: long('Text') },
      run(values) {
        const where = location.read(values['location']);
        return posts.create(where, where.accounts[0]!, { summary: values['text'] }, false);
      },
    },
    remove_post: act('owner', 'Delete a post outside the app', { post }, (it) => posts.remove(it.post)),
    own_reply: act('owner', 'Reply to a review without the app', { review, text: long('Text') }, (form) =>
      reviews.reply(form.review.id, form.text),
    ),
    add_location: act(
      'owner',
      'Open locations',
      { account, title: text('Name'), count: optional(number('How many')) },
      ({ account: { id }, title, count = '1' }) =>
        Array.from({ length: Number(count) }, (_, at) =>
          places.addLocation(count === '1' ? title : `${title} ${at + 1}`, [id]),
        ),
    ),
    add_account: act(
      'owner',
      'Open an account',
      {
        person,
        name: text('Name'),
        type: oneOf('Type', ACCOUNT_TYPES),
        parent: maybeOne({ ...account, label: 'Organization above it' }),
      },
      (of) => places.addAccount(of.type as AccountType, of.name, of.person.id, of.parent?.id),
    ),
    leave_account: act('owner', 'Lose the role in an account', { person, account }, (of) => {
      const { [of.person.id]: _gone, ...roles } = of.account.roles;
      return docs.change('account', of.account.id, { roles });
    }),
  };
}

function googleActs({ posts, reviews, notices, world: { docs } }: Played, actionFields: ActionFields): Acts {
  const { act, location, post, review } = actionFields;
  return {
    judge_post: act('google', 'Decide about a post', { post, verdict: oneOf('Verdict', ['LIVE', 'REJECTED']) }, (it) =>
      posts.judge(it.post.id, it.verdict === 'REJECTED' ? 'REJECTED' : 'LIVE'),
    ),
    judge_reply: act(
      'google',
      'Decide about a reply to a review',
      { review, verdict: oneOf('Verdict', ['APPROVED', 'REJECTED']), violation: maybe('Rule that was broken') },
      (it) => {
        there(it.review.reply, 'reply');
        return reviews.judge(it.review, it.verdict === 'REJECTED' ? 'REJECTED' : 'APPROVED', it.violation);
      },
    ),
    set_voice: act(
      'google',
      'Verify a business, or take it back',
      { location, verified: optional(flag('Verified')) },
      ({ location: { id }, verified }) => {
        notices.location(id, 'VOICE_OF_MERCHANT_UPDATED');
        return docs.change('location', id, { has_voice: verified });
      },
    ),
    set_posts: act(
      'google',
      'Take no posts for a business, or take them again',
      { location, closed: optional(flag('No posts')) },
      ({ location: { id }, closed }) => docs.change('location', id, { no_posts: closed }),
    ),
  };
}

export function googleActTable(played: Played): ActTable {
  const { world, login, api } = played;
  const actionFields = makeActionFields(played);
  return {
    groups: {
      reviewer: 'What reviewers do',
      owner: 'What owners do without the app',
      google: 'What Google decides',
      twin: 'What the network does',
    },
    acts: {
      ...reviewerActs(played, actionFields),
      ...ownerActs(played, actionFields),
      ...googleActs(played, actionFields),
      ...login.acts,
      order: api.orderAct,
      ...worldActs(world),
    },
  };
}
