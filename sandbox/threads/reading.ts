import { badParam, unknownObject } from '../graph/api/errors.ts';
import { makeMethods, within, type Access } from '../graph/api/methods.ts';
import { lookOf, own, type Frame, type NodeType } from '../graph/api/render.ts';
import type { Person } from '../graph/docs.ts';
import { postFields, typeOfSet } from '../graph/media/medium.ts';
import { callerWith, selfWith } from '../graph/oauth/personal.ts';
import { isLive } from '../graph/authored.ts';
import { drawList, drawOne, fileUrl, live, pictureUrl, seen, type Call, type Methods } from '../graph/world.ts';
import type { Posts } from './posts.ts';
import { mentionsIn } from './text.ts';
import { isReply, permalinkOf, type Post, type ThreadsDocs, type World } from './world.ts';

/** The person who calls; undefined if the app itself does. */
const callerOf = ({ actor }: Frame): string | undefined => (actor.kind === 'app' ? undefined : actor.claims.person);

function replyFields({ nodes, people }: World): NodeType<Post>['fields'] {
  const ofReply =
    <T>(read: (post: Post, caller: string | undefined) => T): NodeType<Post>['fields'][string] =>
    (post, { frame }) =>
      isReply(post) ? read(post, callerOf(frame)) : undefined;
  return {
    is_reply: isReply,
    has_replies: ({ id }) => nodes.list('post', { parent: id }).some(isLive),
    root_post: ofReply(({ root }) => ({ id: root })),
    replied_to: ofReply(({ parent_id }) => ({ id: parent_id })),
    is_reply_owned_by_me: ofReply(({ page_id }, caller) => page_id === caller),
    hide_status: ofReply(({ is_hidden, root }, caller) => {
      if (nodes.get('post', root)?.page_id !== caller) return undefined;
      return is_hidden ? 'HIDDEN' : 'NOT_HUSHED';
    }),
    reply_audience: ({ audience }) => audience.toUpperCase(),
    username: ({ page_id }) => people.byId(page_id)?.handle,
    is_verified: () => false,
  };
}

type Looks = ReturnType<typeof makeLooks>;

/** The node types. Fields are shown only on request. */
export function makeLooks(world: World) {
  const idOf = (id: string | undefined) => (id === undefined ? undefined : { id });
  const post = lookOf<Post>('ThreadsMedia', {
    ...postFields<Post>(
      'ThreadsMedia',
      (blob) => fileUrl(world, blob),
      (post) => permalinkOf(world, post),
    ),
    ...replyFields(world),
    ...own<Post>('topic_tag'),
    media_product_type: () => 'THREADS',
    media_type: ({ media, reposted }) => (reposted === undefined ? (typeOfSet(media) ?? 'TEXT_POST') : 'REPOST_FACADE'),
    // Of other people only the name is shown, not the id.
    owner: ({ page_id }, { frame }) => (page_id === callerOf(frame) ? { id: page_id } : undefined),
    text: ({ text }) => (text === '' ? undefined : text),
    is_quote_post: ({ quoted }) => quoted !== undefined,
    quoted_post: ({ quoted }) => idOf(quoted),
    reposted_post: ({ reposted }) => idOf(reposted),
    link_attachment_url: ({ link }) => link,
    gif_url: ({ gif }) => gif,
    poll_attachment: ({ extra }) => extra?.['poll_attachment'],
    text_attachment: ({ extra }) => extra?.['text_attachment'],
    profile_picture_url: ({ page_id }) => pictureUrl(world, page_id),
  });

  const person = lookOf<Person>('ThreadsUser', {
    ...own<Person>('name'),
    username: ({ handle }) => handle,
    threads_profile_picture_url: ({ id }) => pictureUrl(world, id),
    threads_biography: ({ name }) => `${name} of the sandbox`,
    is_verified: () => false,
  });

  return Object.freeze({ post, person });
}

/** Scopes in addition to `threads_basic`. */
type Scopes = readonly string[];

/** Whether a person may see a post: their own, a reply to one of theirs, or one that mentions them. */
function isNear({ nodes, people }: World, person: string, post: Post): boolean {
  const handle = people.byId(person)?.handle ?? '';
  return (
    post.page_id === person ||
    nodes.get('post', post.root)?.page_id === person ||
    mentionsIn(post.text).includes(handle)
  );
}

/** People may act only for themselves, and need the given scopes in addition. */
function accessOf(world: World): Access<Scopes> {
  function may(call: Call, account: string, scopes: Scopes, id: string | undefined): void {
    if (id === undefined) selfWith(call, account, 'threads_basic', ...scopes);
    else {
      const post = seen(world, live(world.nodes.get('post', id), id, call.verb.toLowerCase()));
      const person = callerWith(call, 'threads_basic', ...scopes);
      if (!isNear(world, person, post)) throw unknownObject(id, call.verb.toLowerCase());
    }
  }
  return { read: may, write: may };
}

export const methodsOf = (world: World) => makeMethods<ThreadsDocs, Scopes>(world, accessOf(world));

export function readingMethods(world: World, posts: Posts, looks: Looks): Methods {
  const { people } = world;
  const { reads, readsOf, lists } = methodsOf(world);
  const newestFirst = (rows: readonly Post[]) => rows.filter(posts.isSeen).toReversed();
  const REPLIES: Scopes = ['threads_read_replies'];

  const below = (edge: string, rows: (root: string) => readonly Post[]) =>
    reads('post', REPLIES, ['reverse'], (call, post) => {
      if (edge === 'conversation' && isReply(post)) throw badParam('The conversation of a reply cannot be read');
      const view = within(call, newestFirst(rows(post.id)));
      const isNewestFirst = call.params.flag('reverse') ?? true;
      return drawList(call, looks.post, `${post.id}/${edge}`, isNewestFirst ? view : view.toReversed());
    });
  function mentions(person: string): readonly Post[] {
    const handle = people.byId(person)?.handle ?? '';
    return posts.list().filter((post) => post.page_id !== person && mentionsIn(post.text).includes(handle));
  }

  return Object.freeze({
    'GET person': readsOf([], [], (call, id) => drawOne(call, looks.person, live(people.byId(id), id))),
    'GET post': reads('post', [], [], (call, post) => drawOne(call, looks.post, post)),
    ...lists('person', [], looks.post, { threads: (person) => newestFirst(posts.of(person)) }),
    ...lists('person', REPLIES, looks.post, { replies: (person) => newestFirst(posts.of(person, true)) }),
    ...lists('person', ['threads_manage_mentions'], looks.post, {
      mentions: (person) => newestFirst(mentions(person)),
    }),
    'GET post/replies': below('replies', posts.answers),
    'GET post/conversation': below('conversation', posts.conversation),
  });
}
