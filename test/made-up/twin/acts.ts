import { actsIn, long, maybe, text, there, type Acts } from '#sandbox/kit/acts.ts';
import { FOLLOWERS, profileOfStall, profilesOf, type Thing } from './docs.ts';
import type { makeLogin } from './login.ts';
import { makeThings, newId, postId, shown } from './things.ts';
import type { Plaza } from './world.ts';

const follower = (name = 'cleo') => FOLLOWERS.find(({ handle }) => handle === name);
const person = { ...maybe('Who'), kind: 'follower', read: (name?: string) => there(follower(name), 'follower').id };
const stall = { ...text('Stall'), read: (id = '') => ({ id, profile: there(profileOfStall(id), 'stall').id }) };
const said = { text: long('Text'), person };

/** What people do on the network, in the place of whom a test or an operator acts. */
export function actsOf(plaza: Plaza, login: ReturnType<typeof makeLogin>): Acts {
  const { docs, pushing, options } = plaza;
  const { make, threadOf } = makeThings(plaza);
  const act = actsIn(options.store);
  const post = { ...text('Post'), read: (id?: string) => there(docs.get('post', postId(id)), 'post') };
  /** Pushed to the owner of a stall, and kept for those who ask. */
  function tell(page_id: string, event: object): void {
    make('event', { page_id, event });
    pushing.push(page_id, event);
  }
  /** As it is named by the last id it was given. */
  const named = (thread: Thing) => ({ ...shown(thread), id: thread['alias'] ?? thread.id });
  const tapped = (thread: Thing) => ({ id: newId(), thread: named(thread) });
  const inThread = (title: string, type: string, more: (thread: Thing) => object) =>
    act('people', title, { stall, person }, (by) => {
      tell(by.stall.profile, { type, at: options.clock.now(), ...more(threadOf(by.stall.id, by.person)) });
    });
  const about = (title: string, type: 'mention' | 'review', more: object) =>
    act('people', title, { stall, ...said }, (by) => {
      const { id: page_id, profile: parent_id } = by.stall;
      const made = make(type, { page_id, parent_id, text: by.text, person: by.person, ...more });
      tell(parent_id, { type, [type]: shown(made) });
      return made.id;
    });
  const ending = (title: string, type: string, first: (owner: string) => void) =>
    act('people', title, { person: text('Who') }, ({ person: owner }) => {
      first(owner);
      for (const { id } of profilesOf(owner)) pushing.push(id, { type });
    });

  return Object.freeze({
    comment: act('people', 'Comment on a post', { post, ...said }, (by) => {
      const { id: parent_id, page_id = '' } = by.post;
      const made = make('comment', { page_id, parent_id, author: by.person, text: by.text });
      tell(stall.read(page_id).profile, { type: 'comment', comment: shown(made) });
      return made.id;
    }),
    message: act('people', 'Write to a stall', { stall, ...said, photo: maybe('Photo as base64') }, (by) => {
      const thread = threadOf(by.stall.id, by.person);
      const file = by.photo === undefined ? undefined : make('file', { type: 'image/png', base64: by.photo }).id;
      const message = make('message', { parent_id: thread.id, from: 'them', text: by.text, file });
      tell(by.stall.profile, { type: 'message', thread: named(thread), message: shown(message) });
      return message.id;
    }),
    refer: inThread('Come from an advertisement', 'referral', (thread) => ({ ...tapped(thread), ref: 'spring' })),
    tap: inThread('Tap a button', 'postback', (thread) => ({ ...tapped(thread), title: 'Yes', payload: 'YES' })),
    read: inThread('Read the conversation', 'receipt', ({ id: thread }) => {
      return { thread, status: 'read', until: options.clock.now() };
    }),
    call_otherwise: inThread('Give a conversation another id', 'alias', ({ id: thread }) => {
      return { thread, alias: docs.change('thread', thread, { alias: newId() })['alias'] };
    }),
    mention: about('Mention a stall', 'mention', {}),
    review: about('Review a stall', 'review', { rating: 4 }),
    end_subscription: act('people', 'Call a subscription invalid', { profile: text('Profile') }, ({ profile }) => {
      docs.change('subscription', profile, { ended: true });
    }),
    remove_app: ending('Take the access of the app back', 'revoked', login.tokens.revoke),
    delete_data: ending('Ask for the data to be deleted', 'deletion', () => {}),
  });
}
