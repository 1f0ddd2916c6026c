/** What people do on Instagram in the console and through the control door. */
import { PageError } from '../../forms.ts';
import { containerActs } from '../../graph/media/containers.ts';
import { messageActs } from '../../graph/messaging/acts.ts';
import type { Threads } from '../../graph/messaging/threads.ts';
import { networkActs } from '../../graph/parts.ts';
import { GROUPS, ownerActs, pageOwnerActs } from '../../graph/people/cast.ts';
import { fileUrl } from '../../graph/world.ts';
import { long, makeActs, maybe, optional, short, text } from '../../kit/acts.ts';
import type { Acts, Values } from '../../kit/acts.ts';
import type { Pushes } from '../../kit/push/pushes.ts';
import { linkPages } from '../accounts.ts';
import type { Comments } from '../comments.ts';
import type { Draft } from '../docs.ts';
import type { makeLogins } from '../logins.ts';
import { accountOf } from '../logins.ts';
import type { Posts } from '../posts.ts';
import { accountActs, makeBlanks, publicActs } from './public.ts';
import { SETTINGS } from '../world.ts';
import type { World } from '../world.ts';

type Parts = Readonly<{
  posts: Posts;
  comments: Comments;
  threads: Threads;
  logins: ReturnType<typeof makeLogins>;
  queue: Pushes;
}>;

/** What followers do in conversations besides writing. */
function privateActs(world: World, { threads, posts }: Parts): Acts {
  const { nodes, updates, hosts, clock } = world;
  const { act, follower: person, page, story, message } = makeBlanks(world);

  return {
    story_reply: act('follower', 'Answer a story', { person, story, text: long('Text') }, (said) => {
      const { id, page_id, media } = said.story;
      const thread = threads.touch(threads.open(page_id, said.person.id));
      const about = { id, url: fileUrl(world, media[0]?.blob ?? '') };
      return threads.fromPerson(thread, { by_app: false, pieces: [], text: said.text, story: about });
    }),
    story_mention: act('follower', 'Mention an account in an own story', { person, page }, (by) => {
      const author = by.person.id;
      const post = posts.create(by.page.id, { product: 'STORY', media: [] }, { author });
      const pieces = [{ type: 'story_mention', payload: { url: `${hosts.cdn()}/picture/${post.id}.png` } }];
      return threads.fromPerson(threads.open(by.page.id, author), { by_app: false, pieces });
    }),
    unsend: act('follower', 'Take a message back', { message }, ({ message: { id, from_page, parent_id } }) => {
      const thread = nodes.get('thread', parent_id);
      if (from_page || thread === undefined) throw new PageError(400, 'Only its author can take a message back.');
      nodes.change('message', id, { deleted_at: clock.now() });
      updates.messaging('messages', thread, 'person', { message: { mid: id, is_deleted: true } });
    }),
    referral: act(
      'follower',
      'Open a link or an ad that leads into the conversation',
      {
        person,
        page,
        ref: text('Ref of the link'),
        ad_id: maybe('Ad id, when it was an ad'),
        text: optional(long('What they write')),
      },
      ({ ref, ad_id, text: words, ...by }) => {
        const referral = {
          ref,
          source: ad_id === undefined ? 'IGME-SOURCE-LINK' : 'ADS',
          type: 'OPEN_THREAD',
          ...(ad_id !== undefined && { ad_id, ads_context_data: { ad_title: 'An ad of the sandbox' } }),
        };
        const thread = threads.touch(threads.open(by.page.id, by.person.id));
        if (words === undefined) updates.messaging('messaging_referrals', thread, 'person', { referral });
        else threads.fromPerson(thread, { by_app: false, pieces: [], text: words, referral });
      },
    ),
  };
}

/** The acts of owners, each through the log-in that is theirs. */
function ownersActs(world: World, { logins }: Parts): Acts {
  const { people, store } = world;
  const oauthOf = (id: string) => {
    const found = people.byId(id);
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
  const { deliver: _deliver, ...ofMessages } = messageActs(world, parts.threads);
  const ofContainers = containerActs<Draft>(
    world,
    ({ page_id, draft }) => `${world.people.page(page_id)?.username}: ${draft.product} ${short(draft.caption)}`,
  );
  return makeActs({
    groups: { ...GROUPS, page: 'What the people of an account do without the app' },
    lists: ofContainers.lists,
    acts: {
      ...publicActs(world, parts),
      ...accountActs(world, parts),
      ...ofMessages,
      ...privateActs(world, parts),
      ...ownersActs(world, parts),
      ...ofContainers.acts,
      ...networkActs(world, parts.queue, SETTINGS, ['auto_delivery']),
      consent: parts.logins.consent,
    },
  });
}
