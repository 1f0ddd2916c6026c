import { makeThings, type Methods } from './calls.ts';
import { Refusal } from './refusals.ts';
import { shownComment, shownMention, shownMessage, shownPerson, shownReview } from './shown.ts';
import type { Plaza } from './world.ts';

const SUBSCRIBED_MS = 10 * 86_400_000;

/** Comments, which nobody can list, and what they are answered with. */
function commentMethods(plaza: Plaza): Methods {
  const { docs } = plaza;
  const { alive, marked } = makeThings(plaza);
  return {
    'POST comments': ({ body: { post, parent, text, mark } }) => {
      const { id: parent_id, page_id } = alive('post', String(post).replace('t-', ''));
      if (parent !== undefined) alive('comment', parent);
      return { id: marked(mark, 'comment', { parent_id, page_id, parent, text, author: 'owner' }).id };
    },
    'GET comments/*': ({ ids: [id] }) => shownComment(alive('comment', id)),
    'PATCH comments/*': ({ ids: [id], body: { hidden, liked } }) => {
      docs.change('comment', alive('comment', id).id, { hidden, liked });
      return {};
    },
    'DELETE comments/*': ({ ids: [id] }) => {
      docs.change('comment', alive('comment', id).id, { gone: true });
      return {};
    },
    'GET marks/*': ({ ids: [id] }) => ({ id: alive('mark', id)['made'] }),
    'POST private': ({ body: { comment, text, mark } }) => {
      const { author, page_id } = alive('comment', comment);
      const found = docs.list('thread', { page: page_id! }).find(({ person }) => person === author);
      const thread = found ?? marked(undefined, 'thread', { page_id, person: author });
      const { id } = marked(mark, 'message', { parent_id: thread.id, from: 'owner', text, mark });
      return { id, thread: thread.id, stall: page_id, person: shownPerson(author) };
    },
  } satisfies Methods;
}

/** Conversations, mentions and reviews. */
function talkMethods(plaza: Plaza): Methods {
  const { docs, pushing, options } = plaza;
  const { make, alive, marked, stall, page, isOn } = makeThings(plaza);
  return {
    'GET threads': (call) =>
      page(docs.list('thread', { page: stall(call, call.query.get('stall')) }), call, ({ id, person, page_id }) => ({
        id,
        stall: page_id,
        person: shownPerson(person),
      })),
    'GET threads/*/messages': (call) => page(docs.list('message', { parent: call.ids[0]! }), call, shownMessage),
    'POST threads/*/messages': ({ ids: [id], caller: { profile }, body: { text, mark, buttons } }) => {
      const { id: thread, person } = alive('thread', id);
      if (isOn('takes_no_messages', person)) throw new Refusal('blocked');
      const { id: message } = make('message', { parent_id: thread, from: 'owner', text, mark, buttons });
      const status = isOn('loses_messages', person) ? 'failed' : 'delivered';
      // Nobody can look a message up: the receipt has its mark.
      pushing.push(profile, { type: 'receipt', thread, message, mark, status, at: options.clock.now() });
      return { id: message };
    },
    'POST threads/*/seen': ({ ids: [id] }) => {
      docs.change('thread', alive('thread', id).id, { seen: true });
      return {};
    },
    'GET files/*': ({ ids: [id] }) => alive('file', id),

    'GET mentions': (call) =>
      page(docs.list('mention', { page: stall(call, call.query.get('stall')) }), call, shownMention),
    'POST mentions/*/replies': ({ ids: [id], body: { text, mark } }) => {
      const { page_id } = alive('mention', id);
      return { id: marked(mark, 'comment', { parent_id: id, page_id, text, author: 'owner' }).id };
    },

    'GET reviews': (call) => {
      const reviews = docs.list('review').filter(({ profile }) => profile === call.caller.profile);
      return page(reviews, call, shownReview);
    },
    'PUT reviews/*/reply': ({ ids: [id], body: { text } }) => {
      docs.change('review', alive('review', id).id, { reply: { text, at: options.clock.now() } });
      return { id: `reply-${id}` };
    },
    'DELETE reviews/*/reply': ({ ids: [id] }) => {
      docs.change('review', alive('review', id).id, { reply: undefined });
      return {};
    },
  } satisfies Methods;
}

/** Everything that is said to an account, and how it gets to know. */
export function inboxMethods(plaza: Plaza): Methods {
  const { docs, pushing, options } = plaza;
  return Object.freeze({
    ...commentMethods(plaza),
    ...talkMethods(plaza),
    'POST subscriptions': async ({ caller: { profile }, body: { callback, secret } }) => {
      if (!(await pushing.proves(callback, secret))) throw new Refusal('bad_request', 'The address proves nothing.');
      const at = options.clock.now();
      const { until } = docs.put('subscription', { id: profile, at, callback, secret, until: at + SUBSCRIBED_MS });
      return { id: profile, until };
    },
    'GET subscriptions/*': ({ ids: [id = ''] }) => ({ active: docs.get('subscription', id)?.['ended'] !== true }),
    'DELETE subscriptions/*': ({ ids: [id = ''] }) => {
      docs.remove('subscription', id);
      return {};
    },
    // For those to whom nothing is pushed.
    'GET events': ({ caller: { profile }, query }) => {
      const all = docs.list('event', { page: profile });
      return { items: all.slice(Number(query.get('from') ?? 0)).map(({ event }) => event), next: String(all.length) };
    },
  } satisfies Methods);
}
