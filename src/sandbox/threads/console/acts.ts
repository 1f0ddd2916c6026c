/** What people do on Threads in the console and through the control door. */
import { orderErrorAct } from '../../graph/api/errors.ts';
import type { OAuth } from '../../graph/oauth/oauth.ts';
import { containerActs } from '../../graph/media/containers.ts';
import { castLists, GROUPS, makeCast, ownerActs, person } from '../../graph/people/cast.ts';
import { graphPushActs } from '../../graph/push/pushes.ts';
import { isOn, long, makeActs, maybe, must, newest, short, there } from '../../kit/acts.ts';
import type { Act, Acts, Choice, Values } from '../../kit/acts.ts';
import type { ConsentDialog } from '../../kit/oauth/consent.ts';
import type { Pushes } from '../../kit/push/pushes.ts';
import { settingsAct } from '../../kit/settings.ts';
import { isReply } from '../docs.ts';
import type { Draft, Medium, Post } from '../docs.ts';
import { newId } from '../../graph/ids.ts';
import type { Posts } from '../posts.ts';
import { SETTINGS } from '../world.ts';
import type { World } from '../world.ts';

const on = { label: 'Post or answer', kind: 'thing' } as const;
const owner = { label: 'Who', kind: 'owner' } as const;

/** What people do with posts; followers and owners differ in whether their post is told to the app as its user's. */
function postActs(world: World, posts: Posts): Acts {
  const { store, nodes } = world;
  const { who, fileOf } = makeCast(world);
  const found = (values: Values, name = 'on'): Post => there(nodes.get('post', must(values, name)), 'post');
  const act = (group: string, title: string, fields: Act['fields'], run: Act['run']): Act => ({
    group,
    title,
    fields,
    run,
  });
  async function mediaOf({ picture_url }: Values): Promise<readonly Medium[]> {
    const blob = await fileOf(picture_url);
    const type = blob?.mime.startsWith('video/') === true ? 'VIDEO' : 'IMAGE';
    return blob === undefined ? [] : [{ id: newId(), type, blob: blob.id }];
  }
  const say = (group: string, title: string, by: Act['fields'][string], isAnswer: boolean): Act =>
    act(
      group,
      title,
      { person: by, ...(isAnswer && { on }), text: long('Text'), picture_url: maybe('Picture address') },
      async (values) => {
        const draft = { text: must(values, 'text'), ...(isAnswer && { reply_to: found(values).id }) };
        const media = await mediaOf(values);
        return store.write(() => posts.create(who(values).id, { ...draft, media }));
      },
    );

  return {
    reply: say('follower', 'Answer a post or an answer', person, true),
    mention: act('follower', 'Mention somebody', { person, whom: owner, text: long('Text') }, (values) => {
      const { handle } = who({ person: values['whom'] });
      const text = must(values, 'text');
      const said = text.includes(`@${handle}`) ? text : `@${handle} ${text}`;
      return store.write(() => posts.create(who(values).id, { text: said }));
    }),
    like: act('follower', 'Like a post or an answer', { person, on }, (values) =>
      store.write(() => posts.like(found(values).id, who(values).id)),
    ),
    quote: act('follower', 'Quote a post', { person, on, text: long('Text') }, (values) =>
      store.write(() => posts.create(who(values).id, { text: must(values, 'text'), quoted: found(values).id })),
    ),
    delete_reply: act('follower', 'Delete an answer', { reply: { label: 'Answer', kind: 'reply' } }, (values) =>
      store.write(() => posts.remove(found(values, 'reply').id)),
    ),
    own_post: say('owner', 'Post without the app', owner, false),
    own_reply: say('owner', 'Answer without the app', owner, true),
    own_repost: act('owner', 'Repost', { person: owner, on }, (values) =>
      store.write(() => posts.create(who(values).id, { text: '', reposted: found(values).id })),
    ),
    own_delete: act('owner', 'Delete a post without the app', { post: { label: 'Post', kind: 'post' } }, (values) =>
      store.write(() => posts.remove(found(values, 'post').id)),
    ),
    own_hide: act(
      'owner',
      'Hide or show an answer without the app',
      { reply: { label: 'Answer', kind: 'reply' }, hidden: { label: 'Hidden', kind: 'flag', optional: true } },
      (values) => store.write(() => posts.hide(found(values, 'reply').id, isOn(values['hidden']))),
    ),
  };
}

/** Everything that can be done on the twin in the place of its people. */
export function threadsActs(
  world: World,
  parts: Readonly<{ posts: Posts; oauth: OAuth; dialog: ConsentDialog; queue: Pushes }>,
) {
  const { people, settings, orders, pushes } = world;
  const { posts, oauth, dialog, queue } = parts;
  const choices = (wanted: (post: Post) => boolean) => (): readonly Choice[] =>
    newest(posts.everything().filter(wanted)).map(({ id, page_id, text }) => ({
      value: id,
      label: `${people.byId(page_id)?.name}: ${short(text)}`,
    }));
  const ofContainers = containerActs<Draft>(
    world,
    ({ page_id, draft }) => `${people.byId(page_id)?.name}: ${short(draft.text)}`,
  );
  return makeActs({
    groups: GROUPS,
    lists: {
      ...castLists(world),
      ...ofContainers.lists,
      thing: choices(() => true),
      post: choices((post) => !isReply(post)),
      reply: choices(isReply),
    },
    acts: {
      ...postActs(world, posts),
      ...ownerActs(world, oauth),
      ...ofContainers.acts,
      settings: settingsAct(settings, SETTINGS, ['verified_url', 'auto_delivery']),
      order: orderErrorAct(orders),
      ...graphPushActs(queue, pushes, settings),
      consent: dialog.act((words) => words),
    },
  });
}
