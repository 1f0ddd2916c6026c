/** What people do on Instagram in the console and through the control door. */
import { PageError } from '../../forms.ts';
import { orderErrorAct } from '../../graph/api/errors.ts';
import type { Person } from '../../graph/docs.ts';
import { containerActs } from '../../graph/media/containers.ts';
import { messageActs } from '../../graph/messaging/acts.ts';
import type { Threads } from '../../graph/messaging/threads.ts';
import { castLists, GROUPS, makeCast, ownerActs, page, pageOwnerActs, person } from '../../graph/people/cast.ts';
import { graphPushActs } from '../../graph/push/pushes.ts';
import { fileUrl } from '../../graph/world.ts';
import { long, makeActs, maybe, must, newest, short, text, there } from '../../kit/acts.ts';
import type { Acts, Choice, Values } from '../../kit/acts.ts';
import type { Pushes } from '../../kit/push/pushes.ts';
import { settingsAct } from '../../kit/settings.ts';
import { linkPages } from '../accounts.ts';
import type { Comments } from '../comments.ts';
import type { Draft, Media } from '../docs.ts';
import type { makeLogins } from '../logins.ts';
import { accountOf } from '../logins.ts';
import type { Posts } from '../posts.ts';
import { accountActs, act, publicActs } from './public.ts';
import { SETTINGS } from '../world.ts';
import type { World } from '../world.ts';

type Parts = Readonly<{
  posts: Posts;
  comments: Comments;
  threads: Threads;
  logins: ReturnType<typeof makeLogins>;
  queue: Pushes;
}>;

const story = { label: 'Story', kind: 'story' } as const;
/** What followers do in conversations besides writing. */
function privateActs(world: World, { threads, posts }: Parts): Acts {
  const { store, nodes, updates } = world;
  const { who, where } = makeCast(world);
  const message = { label: 'Message', kind: 'message' } as const;

  return {
    story_reply: act('follower', 'Answer a story', { person, story, text: long('Text') }, (values) =>
      store.write(() => {
        const found: Media = there(nodes.get('media', must(values, 'story')), 'story');
        const thread = threads.touch(threads.open(found.page_id, who(values).id));
        const url = fileUrl(world, found.media[0]?.blob ?? '');
        return threads.fromPerson(thread, {
          by_app: false,
          pieces: [],
          text: must(values, 'text'),
          story: { id: found.id, url },
        });
      }),
    ),
    story_mention: act('follower', 'Mention an account in an own story', { person, page }, (values) =>
      store.write(() => {
        const author = who(values).id;
        const { id } = where(values);
        const post = posts.create(id, { product: 'STORY', media: [] }, { author });
        const payload = { url: `${world.hosts.cdn()}/picture/${post.id}.png` };
        return threads.fromPerson(threads.open(id, author), {
          by_app: false,
          pieces: [{ type: 'story_mention', payload }],
        });
      }),
    ),
    unsend: act('follower', 'Take a message back', { message }, (values) =>
      store.write(() => {
        const found = there(nodes.get('message', must(values, 'message')), 'message');
        const thread = nodes.get('thread', found.parent_id);
        if (found.from_page || thread === undefined)
          throw new PageError(400, 'Only its author can take a message back.');
        nodes.change('message', found.id, { deleted_at: world.clock.now() });
        updates.messaging('messages', thread, 'person', { message: { mid: found.id, is_deleted: true } });
      }),
    ),
    referral: act(
      'follower',
      'Open a link or an ad that leads into the conversation',
      {
        person,
        page,
        ref: text('Ref of the link'),
        ad_id: maybe('Ad id, when it was an ad'),
        text: { ...long('What they write'), optional: true },
      },
      (values) =>
        store.write(() => {
          const { ad_id } = values;
          const referral = {
            ref: must(values, 'ref'),
            source: ad_id === undefined ? 'IGME-SOURCE-LINK' : 'ADS',
            type: 'OPEN_THREAD',
            ...(ad_id !== undefined && { ad_id, ads_context_data: { ad_title: 'An ad of the sandbox' } }),
          };
          const thread = threads.touch(threads.open(where(values).id, who(values).id));
          if (values['text'] === undefined) updates.messaging('messaging_referrals', thread, 'person', { referral });
          else threads.fromPerson(thread, { by_app: false, pieces: [], text: values['text'], referral });
        }),
    ),
  };
}

/** What fields of acts may be chosen from. */
function listsOf(world: World, { posts }: Parts): Readonly<Record<string, () => readonly Choice[]>> {
  const { people, nodes, clock } = world;
  const nameOf = (author: string | undefined, account: string) =>
    author === undefined ? people.page(account)?.username : people.byId(author)?.handle;
  const choices = (wanted: (post: Media) => boolean) => (): readonly Choice[] =>
    newest(posts.everything().filter(wanted)).map(({ id, author, page_id, caption }) => ({
      value: id,
      label: `${nameOf(author, page_id)}: ${short(caption)}`,
    }));
  const said = () =>
    newest(nodes.list('comment')).map(({ id, author, page_id, text: words }) => ({
      value: id,
      label: `Comment of ${nameOf(author, page_id)}: ${short(words)}`,
    }));
  const post = choices(() => true);
  const isOpen = ({ product, at }: Media) => product === 'STORY' && at + 86_400_000 > clock.now();
  return {
    post,
    comment: said,
    story: choices(isOpen),
    thing: () => [...choices(({ product }) => product !== 'STORY')(), ...said()],
  };
}

/** The acts of owners, each through the log-in that is theirs. */
function ownersActs(world: World, { logins }: Parts): Acts {
  const { people, store } = world;
  const oauthOf = (id: string) => {
    const found: Person | undefined = people.byId(id);
    return found !== undefined && accountOf(world, found) !== undefined
      ? logins.instagram.oauth
      : logins.facebook.oauth;
  };
  const { add_page: addPage, ...ofPages } = pageOwnerActs(world);
  return {
    ...ownerActs(world, { remove: (id: string) => oauthOf(id).remove(id) }),
    ...ofPages,
    add_page: {
      ...addPage!,
      async run(values: Values) {
        const made = await addPage!.run(values);
        store.write(() => linkPages(world));
        return made;
      },
    },
  };
}

/** Everything that can be done on the twin in the place of its people. */
export function instagramActs(world: World, parts: Parts) {
  const { people, settings, orders, pushes } = world;
  const { deliver: _deliver, ...ofMessages } = messageActs(world, parts.threads);
  const ofContainers = containerActs<Draft>(
    world,
    ({ page_id, draft }) => `${people.page(page_id)?.username}: ${draft.product} ${short(draft.caption)}`,
  );
  return makeActs({
    groups: { ...GROUPS, page: 'What the people of an account do without the app' },
    lists: { ...castLists(world), ...ofContainers.lists, ...listsOf(world, parts) },
    acts: {
      ...publicActs(world, parts),
      ...accountActs(world, parts),
      ...ofMessages,
      ...privateActs(world, parts),
      ...ownersActs(world, parts),
      ...ofContainers.acts,
      settings: settingsAct(settings, SETTINGS, ['verified_url', 'auto_delivery']),
      order: orderErrorAct(orders),
      ...graphPushActs(parts.queue, pushes, settings),
      consent: parts.logins.consent,
    },
  });
}
