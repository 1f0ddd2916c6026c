import { answer } from '#sandbox/kit/api/routes.ts';
import { Refusal } from './refusals.ts';
import { makeThings, on, postId, shown } from './things.ts';
import type { Plaza } from './world.ts';

const SUBSCRIBED_MS = 10 * 86_400_000;

/** Comments, which nobody can list, and what they are answered with. */
function commentRoutes(plaza: Plaza) {
  const { alive, change, marked, threadOf } = makeThings(plaza);
  return [
    on('POST', '/comments', {}, ({ params }) => {
      const { post, parent, text, mark } = params.values;
      const { id: parent_id, page_id } = alive('post', postId(post));
      if (parent !== undefined) alive('comment', parent);
      return marked(mark, 'comment', { parent_id, page_id, parent, text, author: 'owner' });
    }),
    on('GET', '/comments/{id}', {}, ({ path: { id } }) => shown(alive('comment', id))),
    on('PATCH', '/comments/{id}', {}, ({ path: { id }, params }) => change('comment', id, params.values)),
    on('DELETE', '/comments/{id}', {}, ({ path: { id } }) => change('comment', id, { gone: true })),
    on('GET', '/marks/{id}', {}, ({ path: { id } }) => ({ id: alive('mark', id)['made'] })),
    on('POST', '/private', {}, ({ params }) => {
      const { comment, text, mark } = params.values;
      const { author, page_id = '' } = alive('comment', comment);
      const thread = threadOf(page_id, author);
      const made = marked(mark, 'message', { parent_id: thread.id, from: 'owner', text, mark });
      return { ...made, thread: shown(thread) };
    }),
  ];
}

/** Conversations, mentions and reviews. */
function talkRoutes(plaza: Plaza) {
  const { docs, pushing, options } = plaza;
  const { make, alive, change, marked, page, ofStall, isOn } = makeThings(plaza);
  return [
    on('GET', '/threads', {}, ofStall('thread')),
    on('GET', '/threads/{id}/messages', {}, (call) => page(docs.list('message', { parent: call.path['id']! }), call)),
    on('POST', '/threads/{id}/messages', {}, ({ path: { id }, caller: { profile }, params }) => {
      const { text, mark, buttons } = params.values;
      const { id: thread, person } = alive('thread', id);
      if (isOn('takes_no_messages', person)) throw new Refusal('blocked');
      const { id: message } = make('message', { parent_id: thread, from: 'owner', text, mark, buttons });
      const status = isOn('loses_messages', person) ? 'failed' : 'delivered';
      // Nobody can look a message up: the receipt has its mark.
      pushing.push(profile, { type: 'receipt', thread, message, mark, status, at: options.clock.now() });
      return { id: message };
    }),
    on('POST', '/threads/{id}/seen', {}, ({ path: { id } }) => change('thread', id, { seen: true })),
    on('GET', '/files/{id}', {}, ({ path: { id } }) => {
      const { type, base64 } = alive('file', id);
      return answer(Buffer.from(String(base64), 'base64'), 200, { 'content-type': String(type) });
    }),
    on('GET', '/mentions', {}, ofStall('mention')),
    on('POST', '/mentions/{id}/replies', {}, ({ path: { id }, params: { values } }) => {
      const { page_id } = alive('mention', id);
      return marked(values['mark'], 'comment', { parent_id: id, page_id, text: values['text'], author: 'owner' });
    }),
    on('GET', '/reviews', {}, (call) => page(docs.list('review', { parent: call.caller.profile }), call)),
    on('PUT', '/reviews/{id}/reply', {}, ({ path: { id }, params }) => {
      change('review', id, { reply: { text: params.values['text'], at: options.clock.now() } });
      return { id: `reply-${id}` };
    }),
    on('DELETE', '/reviews/{id}/reply', {}, ({ path: { id } }) => change('review', id, { reply: undefined })),
  ];
}

/** Everything that is said to an account, and how it gets to know. */
export function inboxRoutes(plaza: Plaza) {
  const { docs, pushing, settings, options } = plaza;
  const { alive } = makeThings(plaza);
  return [
    ...commentRoutes(plaza),
    ...talkRoutes(plaza),
    on('POST', '/subscriptions', {}, async ({ caller: { profile }, params }) => {
      const [callback, secret] = [params.required('callback'), params.required('secret')];
      if (settings.get('takes_no_subscriptions')) throw new Refusal('bad_request', 'Nobody subscribes today.');
      if (!(await pushing.proves(callback, secret))) throw new Refusal('bad_request', 'The address proves nothing.');
      const at = options.clock.now();
      const { until } = docs.put('subscription', { id: profile, at, callback, secret, until: at + SUBSCRIBED_MS });
      return { id: profile, until };
    }),
    on('GET', '/subscriptions/{id}', {}, ({ path }) => ({
      active: alive('subscription', path['id'])['ended'] !== true,
    })),
    on('DELETE', '/subscriptions/{id}', {}, ({ path: { id = '' } }) => docs.remove('subscription', id)),
    // For those to whom nothing is pushed.
    on('GET', '/events', {}, ({ caller: { profile }, params: { query } }) => {
      const all = docs.list('event', { page: profile });
      return { items: all.slice(Number(query['from'] ?? 0)).map(({ event }) => event), next: String(all.length) };
    }),
  ];
}
