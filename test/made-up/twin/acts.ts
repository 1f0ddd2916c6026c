import { PageError } from '../../../src/sandbox/forms.ts';
import {
  long,
  maybe,
  must,
  text,
  there,
  type Act,
  type Acts,
  type Field,
  type Values,
} from '../../../src/sandbox/kit/acts.ts';
import { digits } from '../../../src/sandbox/kit/ids.ts';
import { FOLLOWERS, profileOfStall, profilesOf, type Kind, type Thing } from './docs.ts';
import type { makeLogin } from './login.ts';
import { shownComment, shownMention, shownMessage, shownPerson, shownReview } from './shown.ts';
import type { Plaza } from './world.ts';

const stall = text('Stall');
const words = long('Text');
const person = { label: 'Who', kind: 'follower', optional: true } as const;

const act = (title: string, fields: Readonly<Record<string, Field>>, run: Act['run']): Act => ({
  group: 'people',
  title,
  fields,
  run,
});

/** What people do on the network, in the place of whom a test or an operator acts. */
export function actsOf({ docs, pushing, options }: Plaza, login: ReturnType<typeof makeLogin>): Acts {
  const now = () => options.clock.now();
  const make = (kind: Kind, fields: object): Thing => docs.put(kind, { ...fields, id: `9${digits(16)}`, at: now() });
  const follower = ({ person: handle = 'cleo' }: Values) =>
    there(
      FOLLOWERS.find((one) => one.handle === handle),
      'follower',
    ).id;
  const profileOf = (values: Values): string => {
    const profile = profileOfStall(must(values, 'stall'));
    if (profile === undefined) throw new PageError(404, 'There is no such stall.');
    return profile;
  };
  /** Pushed, and kept for those who ask. */
  function tell(profile: string, event: object): void {
    make('event', { page_id: profile, event });
    pushing.push(profile, event);
  }
  function threadOf(values: Values) {
    const [page_id, who] = [must(values, 'stall'), follower(values)];
    const known = docs.list('thread', { page: page_id }).find((one) => one['person'] === who);
    const { id } = known ?? make('thread', { page_id, person: who });
    return { id, stall: page_id, person: shownPerson(who) };
  }
  const inThread = (type: string, more: object) => (values: Values) =>
    tell(profileOf(values), { type, id: `9${digits(16)}`, thread: threadOf(values), at: now(), ...more });

  return Object.freeze({
    comment: act('Comment on a post', { post: text('Post'), text: words, person }, (values) => {
      const post = there(docs.get('post', must(values, 'post').replace('t-', '')), 'post');
      const { page_id, profile } = post as Thing & { page_id: string; profile: string };
      const made = make('comment', { page_id, parent_id: post.id, author: follower(values), text: values['text'] });
      tell(profile, { type: 'comment', comment: shownComment(made) });
      return made.id;
    }),
    message: act('Write to a stall', { stall, text: words, person, photo: maybe('Photo as base64') }, (values) => {
      const thread = threadOf(values);
      const { photo, text: said } = values;
      const file = photo === undefined ? undefined : make('file', { type: 'image/png', base64: photo }).id;
      const message = make('message', { parent_id: thread.id, from: 'them', text: said, file });
      tell(profileOf(values), { type: 'message', thread, message: shownMessage(message) });
      return message.id;
    }),
    refer: act('Come from an advertisement', { stall, person }, inThread('referral', { ref: 'spring' })),
    tap: act('Tap a button', { stall, person }, inThread('postback', { title: 'Yes', payload: 'YES' })),
    read: act('Read the conversation', { stall, person }, (values) => {
      tell(profileOf(values), {
        type: 'receipt',
        status: 'read',
        thread: threadOf(values).id,
        until: now(),
        at: now(),
      });
    }),
    mention: act('Mention a stall', { stall, text: words, person }, (values) => {
      const [page_id, who] = [must(values, 'stall'), follower(values)];
      const made = make('mention', { page_id, text: values['text'], person: who });
      tell(profileOf(values), { type: 'mention', mention: shownMention(made) });
      return made.id;
    }),
    review: act('Review a stall', { stall, text: words, person }, (values) => {
      const [page_id, who, profile] = [must(values, 'stall'), follower(values), profileOf(values)];
      const made = make('review', { page_id, profile, text: values['text'], rating: 4, person: who });
      tell(profile, { type: 'review', review: shownReview(made) });
      return made.id;
    }),
    end_subscription: act('Call a subscription invalid', { profile: text('Profile') }, (values) => {
      docs.change('subscription', must(values, 'profile'), { ended: true });
    }),
    remove_app: act('Take the access of the app back', { person: text('Who') }, (values) => {
      login.tokens.revoke(must(values, 'person'));
      for (const { id } of profilesOf(must(values, 'person'))) pushing.push(id, { type: 'revoked' });
    }),
    delete_data: act('Ask for the data to be deleted', { person: text('Who') }, (values) => {
      for (const { id } of profilesOf(must(values, 'person'))) pushing.push(id, { type: 'deletion' });
    }),
  });
}
