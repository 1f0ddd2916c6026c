import { DAY } from '#kernel/clock.ts';
import { PageError } from '../../forms.ts';
import { messageActs } from '../../graph/messaging/acts.ts';
import { INSTAGRAM_KINDS } from '../../graph/messaging/kinds.ts';
import type { Threads } from '../../graph/messaging/threads.ts';
import { makeCast, pageOwnerActs } from '../../graph/people/cast.ts';
import { fileUrl, pictureUrl } from '../../graph/world.ts';
import {
  flag,
  long,
  maybe,
  number,
  offered,
  optional,
  pick,
  pickKept,
  short,
  text,
  type Acts,
  type Values,
} from '../../kit/acts.ts';
import { linkPages } from '../accounts.ts';
import type { Comments } from '../comments.ts';
import type { Comment, Draft, Media } from '../docs.ts';
import { makeNotices } from '../notices.ts';
import type { Posts } from '../posts.ts';
import type { World } from '../world.ts';

type Parts = Readonly<{ posts: Posts; comments: Comments; threads: Threads }>;

const MOST_AT_ONCE = 1000;

function makeActionFields(world: World, { posts, comments }: Pick<Parts, 'posts' | 'comments'>) {
  const { people, clock } = world;
  const writer = ({ author, page_id }: Media | Comment) =>
    author === undefined ? people.page(page_id)?.username : people.byId(author)?.handle;
  const nameOf = (one: Media | Comment) =>
    'product' in one ? `${writer(one)}: ${short(one.caption)}` : `Comment of ${writer(one)}: ${short(one.text)}`;
  const isStory = ({ product }: Media) => product === 'STORY';
  const isOpen = (one: Media) => isStory(one) && one.at + DAY > clock.now();
  const post = pickKept('Post', posts.get, posts.list, nameOf);
  const story = pickKept('Story', posts.get, () => posts.list().filter(isOpen), nameOf);
  const comment = pickKept('Comment', comments.get, comments.list, nameOf);
  const open = () =>
    offered(
      posts.list().filter((one) => !isStory(one)),
      nameOf,
    );
  const find = (id: string) => comments.get(id) ?? posts.get(id);
  const on = pick<Media | Comment>('Post or comment', 'post or comment', find, () => [...open(), ...comment.offers()]);
  return Object.freeze({ ...makeCast(world), post, story, comment, on });
}

function publicActs(world: World, parts: Parts): Acts {
  const { posts, comments } = parts;
  const notices = makeNotices(world);
  const { act, follower: person, page, on, post, comment, media } = makeActionFields(world, parts);
  return {
    comment: act(
      'follower',
      'Comment on a post or answer a comment',
      { person, on, text: optional(long('Comment; none is a GIF')) },
      ({ text = '', ...by }) => {
        if (comments.postOf(by.on.id)?.product === 'STORY') throw new PageError(400, 'Stories have no comments.');
        return comments.create({ about: by.on.id, author: by.person.id, text, by_app: false });
      },
    ),
    delete_comment: act('follower', 'Delete a comment', { comment }, (to) => comments.remove(to.comment.id)),
    like: act('follower', 'Like a post or comment', { person, on }, (by) =>
      ('product' in by.on ? posts : comments).like(by.on.id, by.person.id, true),
    ),
    view: act('follower', 'See a post', { post, times: optional(number('Times')) }, ({ times = '1', ...by }) =>
      posts.view(by.post.id, Number(times)),
    ),
    mention: act(
      'follower',
      'Mention an account in an own post',
      {
        person,
        page,
        text: long('Text'),
        in_comment: optional(flag('In a comment')),
        tagged: optional(flag('In the picture')),
        picture_url: media('Picture address'),
      },
      ({ text, in_comment, tagged, picture_url, ...by }) => {
        const [author, name] = [by.person.id, `@${by.page.username}`];
        const fullText = text.includes(name) ? text : `${name} ${text}`;
        const draft: Draft = { product: 'FEED', caption: in_comment ? 'A post of mine' : fullText, media: picture_url };
        const made = posts.create(by.page.id, draft, { author, tagged });
        if (in_comment) return comments.create({ about: made.id, author, text: fullText, by_app: false });
        notices.mentioned(made);
        return made;
      },
    ),
  };
}

function accountActs(world: World, parts: Parts): Acts {
  const { posts, comments } = parts;
  const { act, page, on, post, comment, media } = makeActionFields(world, parts);
  return {
    own_post: act(
      'page',
      'Post as the account, without the app',
      {
        page,
        text: long('Caption'),
        picture_url: media('Picture or film address'),
        story: optional(flag('As a story')),
        times: optional(number('How many')),
      },
      ({ text, picture_url, story, ...by }) => {
        const times = Math.min(Number(by.times ?? 1), MOST_AT_ONCE);
        const lasting = picture_url[0]?.type === 'VIDEO' ? 'REELS' : 'FEED';
        const product = story ? 'STORY' : lasting;
        const one = (at: number) =>
          posts.create(by.page.id, { product, media: picture_url, caption: times === 1 ? text : `${text} ${at + 1}` });
        return Array.from({ length: times }, (_, at) => one(at)).at(-1);
      },
    ),
    own_comment: act('page', 'Comment as the account, without the app', { on, text: long('Comment') }, (form) =>
      comments.create({ about: form.on.id, text: form.text, by_app: false }),
    ),
    own_hide: act('page', 'Hide or show a comment', { comment, hidden: optional(flag('Hidden')) }, (to) =>
      comments.hide(to.comment.id, to.hidden),
    ),
    own_delete: act('page', 'Delete a post, without the app', { post }, (to) => posts.remove(to.post.id)),
  };
}

function privateActs(world: World, parts: Parts): Acts {
  const { threads, posts } = parts;
  const { nodes, updates, clock } = world;
  const { act, follower: person, page, story, message } = makeActionFields(world, parts);

  return {
    story_reply: act('follower', 'Answer a story', { person, story, text: long('Text') }, (form) => {
      const { id, page_id, media } = form.story;
      const thread = threads.touch(threads.open(page_id, form.person.id));
      const about = { id, url: fileUrl(world, media[0]?.blob ?? '') };
      return threads.fromPerson(thread, { by_app: false, pieces: [], text: form.text, story: about });
    }),
    story_mention: act('follower', 'Mention an account in an own story', { person, page }, (by) => {
      const author = by.person.id;
      const post = posts.create(by.page.id, { product: 'STORY', media: [] }, { author });
      const pieces = [{ type: 'story_mention', payload: { url: pictureUrl(world, post.id) }, story: post.id }];
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

/** What owners do with Pages. A new account gets a Page of its own on Facebook. */
function pagesActs(world: World): Acts {
  const { add_page: addPage, ...ofPages } = pageOwnerActs(world);
  return {
    ...ofPages,
    add_page: {
      ...addPage!,
      async run(values: Values) {
        const made = await addPage!.run(values);
        world.store.write(() => linkPages(world));
        return made;
      },
    },
  };
}

export function instagramActs(world: World, parts: Parts): Acts {
  const { deliver: _deliver, optin: _optin, ...ofMessages } = messageActs(world, parts.threads, INSTAGRAM_KINDS);
  return {
    ...publicActs(world, parts),
    ...accountActs(world, parts),
    ...ofMessages,
    ...privateActs(world, parts),
    ...pagesActs(world),
  };
}
