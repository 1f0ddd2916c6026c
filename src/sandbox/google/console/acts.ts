/** What reviewers, owners and Google's own people do, in the console and through the control door. */
import { PageError } from '../../forms.ts';
import type { makeGoogleApi } from '../../googleapis/api.ts';
import type { GoogleLogin } from '../../googleapis/login.ts';
import {
  flag,
  isOn,
  long,
  makeActs,
  maybe,
  must,
  newest,
  number,
  short,
  text,
  there,
  type Act,
  type Acts,
  type Choice,
  type Values,
} from '../../kit/acts.ts';
import { worldActs } from '../../kit/world.ts';
import type { Media } from '../content/media.ts';
import { summaryOf, type Posts } from '../content/posts.ts';
import { ACCOUNT_TYPES, type Account, type AccountType, type Location, type Review } from '../docs.ts';
import { metricId, METRICS } from '../places/metrics.ts';
import type { Places } from '../places/places.ts';
import type { Notices } from '../reviews/notices.ts';
import type { Reviews } from '../reviews/reviews.ts';
import type { World } from '../world.ts';

/** Everything the console plays with. */
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

const LARGEST = 25 * 1024 * 1024;
const person = { label: 'Who', kind: 'reviewer' } as const;
const owner = { label: 'Who', kind: 'owner' } as const;
const location = { label: 'Location', kind: 'location' } as const;
const review = { label: 'Review', kind: 'review' } as const;
const post = { label: 'Post', kind: 'post' } as const;
const account = { label: 'Account', kind: 'account' } as const;
const choice = (label: string, choices: readonly string[]) => ({ label, kind: 'choice', choices }) as const;
const opinion = {
  stars: choice('Stars', ['5', '4', '3', '2', '1']),
  text: { ...long('Text; empty is a rating alone'), optional: true },
  translation: { ...maybe('Its translation by Google'), optional: true },
  anonymous: { ...flag('Anonymous'), optional: true },
  picture_url: maybe('Picture address'),
} as const;

const act = (group: string, title: string, fields: Act['fields'], run: Act['run']): Act => ({
  group,
  title,
  fields,
  run,
});

/** Reads what was filled in as the people and things of the twin. */
function makeFinders({ world: { docs, people, fetching }, places }: Played) {
  return Object.freeze({
    who: (values: Values) => there(people.find(must(values, 'person')), 'person'),
    where(values: Values): Location {
      const given = must(values, 'location').split('/').at(-1)!;
      return there(places.location(given) ?? docs.list('location').find(({ title }) => title === given), 'location');
    },
    account(values: Values): Account {
      const given = must(values, 'account').split('/').at(-1)!;
      return there(places.account(given) ?? docs.list('account').find(({ name }) => name === given), 'account');
    },
    review: (values: Values): Review => there(docs.get('review', must(values, 'review').split('/').at(-1)!), 'review'),
    post: (values: Values) => there(docs.get('post', must(values, 'post').split('/').at(-1)!), 'post'),
    async file(url: string | undefined): Promise<string | undefined> {
      const blob = url === undefined ? undefined : await fetching.media(url, LARGEST);
      if (url !== undefined && blob === undefined)
        throw new PageError(400, 'The file cannot be read from its address.');
      return blob?.id;
    },
  });
}

type Finders = ReturnType<typeof makeFinders>;

function reviewerActs({ reviews, media, notices, world: { options } }: Played, find: Finders): Acts {
  async function opinionOf({ stars, text: words, translation, anonymous, picture_url }: Values) {
    const blob = await find.file(picture_url);
    const comment =
      words !== undefined && translation !== undefined
        ? `(Translated by Google) ${translation}\n\n(Original)\n${words}`
        : words;
    return {
      stars: Number(stars),
      is_anonymous: isOn(anonymous),
      ...(comment !== undefined && { comment }),
      ...(blob !== undefined && { blob }),
    };
  }
  return {
    write_review: act('reviewer', 'Write a review', { person, location, ...opinion }, async (values) =>
      reviews.write(find.who(values).id, find.where(values).id, await opinionOf(values)),
    ),
    edit_review: act('reviewer', 'Change a review', { review, ...opinion }, async (values) => {
      const { person: by, page_id } = find.review(values);
      return reviews.write(by, page_id, await opinionOf(values));
    }),
    remove_review: act('reviewer', 'Delete a review', { review }, (values) => reviews.remove(find.review(values).id)),
    customer_photo: act(
      'reviewer',
      'Add a photo of a place',
      { person, location, picture_url: text('Picture address') },
      async (values) => {
        const { id } = find.who(values);
        const blob = (await find.file(values['picture_url']))!;
        const source = { sourceUrl: must(values, 'picture_url') };
        return options.store.write(() => {
          const item = media.add(find.where(values), {
            format: 'PHOTO',
            category: 'ADDITIONAL',
            blob,
            source,
            author: id,
          });
          notices.photo(item);
          return item;
        });
      },
    ),
  };
}

function ownerActs({ places, posts, reviews, world }: Played, find: Finders): Acts {
  const { docs, options } = world;
  return {
    own_post: act('owner', 'Post without the app', { location, text: long('Text') }, (values) => {
      const where = find.where(values);
      return posts.create(where, where.accounts[0]!, { summary: must(values, 'text') }, false);
    }),
    remove_post: act('owner', 'Delete a post without the app', { post }, (values) => posts.remove(find.post(values))),
    own_reply: act('owner', 'Reply to a review without the app', { review, text: long('Text') }, (values) =>
      reviews.reply(find.review(values).id, must(values, 'text')),
    ),
    add_location: act(
      'owner',
      'Open locations',
      {
        account,
        title: text('Name'),
        count: { ...number('How many'), optional: true },
      },
      (values) => {
        const { id } = find.account(values);
        const [title, count] = [must(values, 'title'), Number(values['count'] ?? 1)];
        const names = Array.from({ length: count }, (_, at) => (count === 1 ? title : `${title} ${at + 1}`));
        return options.store.write(() => names.map((name) => places.addLocation(name, [id])));
      },
    ),
    add_account: act(
      'owner',
      'Open an account',
      {
        person: owner,
        name: text('Name'),
        type: choice('Type', ACCOUNT_TYPES),
        parent: maybe('Organization above it'),
      },
      (values) => {
        const parent = values['parent'] && find.account({ account: values['parent'] }).id;
        const type = must(values, 'type') as AccountType;
        return options.store.write(() => places.addAccount(type, must(values, 'name'), find.who(values).id, parent));
      },
    ),
    leave_account: act('owner', 'Lose the role in an account', { person: owner, account }, (values) => {
      const { id, roles } = find.account(values);
      const { [find.who(values).id]: _gone, ...left } = roles;
      return options.store.write(() => docs.change('account', id, { roles: left }));
    }),
  };
}

function googleActs({ posts, reviews, notices, world }: Played, find: Finders): Acts {
  const { docs, options } = world;
  return {
    judge_post: act(
      'google',
      'Decide about a post',
      { post, verdict: choice('Verdict', ['LIVE', 'REJECTED']) },
      (values) => posts.judge(find.post(values).id, values['verdict'] === 'REJECTED' ? 'REJECTED' : 'LIVE'),
    ),
    judge_reply: act(
      'google',
      'Decide about a reply to a review',
      { review, verdict: choice('Verdict', ['APPROVED', 'REJECTED']), violation: maybe('Rule that was broken') },
      (values) => {
        const found = find.review(values);
        if (found.reply === undefined) throw new PageError(400, 'The review has no reply.');
        return reviews.judge(found, values['verdict'] === 'REJECTED' ? 'REJECTED' : 'APPROVED', values['violation']);
      },
    ),
    set_voice: act(
      'google',
      'Verify a business, or take it back',
      { location, verified: { ...flag('Verified'), optional: true } },
      (values) => {
        const { id } = find.where(values);
        return options.store.write(() => {
          notices.location(id, 'VOICE_OF_MERCHANT_UPDATED');
          return docs.change('location', id, { has_voice: isOn(values['verified']) });
        });
      },
    ),
    set_metric: act(
      'google',
      'Count what a place was used for',
      { location, metric: choice('Metric', METRICS), date: text('Day, such as 2026-11-01'), value: number('Count') },
      (values) => {
        const { id } = find.where(values);
        const name = metricId(id, must(values, 'metric'), must(values, 'date'));
        const value = Number(must(values, 'value'));
        return options.store.write(() => docs.put('metric', { id: name, at: options.clock.now(), page_id: id, value }));
      },
    ),
  };
}

/** Everything that can be done on the twin in the place of its people. */
export function actsOf(played: Played) {
  const { world, places, reviews, login, api } = played;
  const { docs, people } = world;
  const find = makeFinders(played);
  const named = (all: readonly Readonly<{ id: string; name: string }>[]): readonly Choice[] =>
    all.map(({ id, name }) => ({ value: id, label: name }));
  const titleOf = (id: string) => places.location(id)?.title;
  return makeActs({
    groups: {
      reviewer: 'What reviewers do',
      owner: 'What owners do without the app',
      google: 'What Google decides',
      twin: 'What the network does',
    },
    lists: {
      owner: () => named(people.owners()),
      reviewer: () => named(people.followers()),
      account: () => named(docs.list('account')),
      location: () => docs.list('location').map(({ id, title }) => ({ value: id, label: title })),
      post: () =>
        newest(docs.list('post')).map((post) => ({
          value: post.id,
          label: `${titleOf(post.page_id)}: ${short(summaryOf(post))}`,
        })),
      review: () =>
        newest(reviews.all()).map(({ id, page_id, person: by, stars, comment }) => ({
          value: id,
          label: `${people.byId(by)?.name} of ${titleOf(page_id)}, ${stars}: ${short(comment)}`,
        })),
    },
    acts: {
      ...reviewerActs(played, find),
      ...ownerActs(played, find),
      ...googleActs(played, find),
      ...login.acts,
      order: api.orderAct,
      ...worldActs(world),
    },
  });
}
