import { long, maybe, must, text, there, type Act, type Acts, type Values } from '../../../src/sandbox/kit/acts.ts';
import { FOLLOWERS, profileOfStall, profilesOf, type Thing } from './docs.ts';
import type { makeLogin } from './login.ts';
import { makeThings, newId, postId, shown } from './things.ts';
import type { Plaza } from './world.ts';

const stall = text('Stall');
const person = { label: 'Who', kind: 'follower', optional: true } as const;
const said = { text: long('Text'), person };
const WHO = { person: text('Who') };

const act = (title: string, fields: Act['fields'], run: Act['run']): Act => ({ group: 'people', title, fields, run });

const follower = ({ person = 'cleo' }: Values): string => {
  const found = FOLLOWERS.find(({ handle }) => handle === person);
  return there(found, 'follower').id;
};

/** What people do on the network, in the place of whom a test or an operator acts. */
export function actsOf(plaza: Plaza, login: ReturnType<typeof makeLogin>): Acts {
  const { docs, pushing, options } = plaza;
  const { make, threadOf } = makeThings(plaza);
  const profileOf = (where: string) => there(profileOfStall(where), 'stall').id;
  /** Pushed to the owner of a stall, and kept for those who ask. */
  function tell(where: string, event: object): void {
    make('event', { page_id: profileOf(where), event });
    pushing.push(profileOf(where), event);
  }
  const threadIn = (values: Values) => threadOf(must(values, 'stall'), follower(values));
  /** As it is named by the last id it was given. */
  const named = (thread: Thing) => ({ ...shown(thread), id: thread['alias'] ?? thread.id });
  const inThread = (type: string, more: object) => (values: Values) => {
    const event = { type, id: newId(), thread: named(threadIn(values)), at: options.clock.now(), ...more };
    tell(must(values, 'stall'), event);
  };
  const about = (type: 'mention' | 'review', more: object) => (values: Values) => {
    const page_id = must(values, 'stall');
    const by = { parent_id: profileOf(page_id), person: follower(values) };
    const made = make(type, { page_id, text: values['text'], ...by, ...more });
    tell(page_id, { type, [type]: shown(made) });
    return made.id;
  };
  const toAll = (values: Values, event: object) => {
    for (const { id } of profilesOf(must(values, 'person'))) pushing.push(id, event);
  };

  return Object.freeze({
    comment: act('Comment on a post', { post: text('Post'), ...said }, (values) => {
      const { id: parent_id, page_id = '' } = there(docs.get('post', postId(must(values, 'post'))), 'post');
      const made = make('comment', { page_id, parent_id, author: follower(values), text: values['text'] });
      tell(page_id, { type: 'comment', comment: shown(made) });
      return made.id;
    }),
    message: act('Write to a stall', { stall, ...said, photo: maybe('Photo as base64') }, (values) => {
      const thread = threadIn(values);
      const { photo: base64 } = values;
      const file = base64 === undefined ? undefined : make('file', { type: 'image/png', base64 }).id;
      const message = make('message', { parent_id: thread.id, from: 'them', text: values['text'], file });
      tell(must(values, 'stall'), { type: 'message', thread: named(thread), message: shown(message) });
      return message.id;
    }),
    refer: act('Come from an advertisement', { stall, person }, inThread('referral', { ref: 'spring' })),
    tap: act('Tap a button', { stall, person }, inThread('postback', { title: 'Yes', payload: 'YES' })),
    read: act('Read the conversation', { stall, person }, (values) => {
      const at = options.clock.now();
      tell(must(values, 'stall'), { type: 'receipt', status: 'read', thread: threadIn(values).id, until: at, at });
    }),
    call_otherwise: act('Give a conversation another id', { stall, person }, (values) => {
      const { id: thread } = threadIn(values);
      const { alias } = docs.change('thread', thread, { alias: newId() });
      tell(must(values, 'stall'), { type: 'alias', thread, alias });
    }),
    mention: act('Mention a stall', { stall, ...said }, about('mention', {})),
    review: act('Review a stall', { stall, ...said }, about('review', { rating: 4 })),
    end_subscription: act('Call a subscription invalid', { profile: text('Profile') }, (values) => {
      docs.change('subscription', must(values, 'profile'), { ended: true });
    }),
    remove_app: act('Take the access of the app back', WHO, (values) => {
      login.tokens.revoke(must(values, 'person'));
      toAll(values, { type: 'revoked' });
    }),
    delete_data: act('Ask for the data to be deleted', WHO, (values) => toAll(values, { type: 'deletion' })),
  });
}
