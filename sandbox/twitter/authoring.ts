/** Writes posts and direct messages, for the product and for people without it. */
import { mediaKey, mediaKind, type Message, type Poll, type Post } from './docs.ts';
import { forbidden } from './errors.ts';
import type { Events } from './events.ts';
import type { Texts } from './text.ts';
import type { Users, World } from './world.ts';

/** A post to write. The people in `exclude` are not named at the beginning of a reply. */
export type Draft = Readonly<{
  text: string;
  reply_to?: string | undefined;
  exclude?: readonly string[] | undefined;
  media?: readonly string[];
  poll?: Poll | undefined;
  quoted?: string | undefined;
  reply_settings?: string | undefined;
}>;
export type Posts = ReturnType<typeof makePosts>;
export type Talk = ReturnType<typeof makeTalk>;

export function makePosts(world: World, users: Users, texts: Texts, events: Events) {
  const { docs, newId, settings, options } = world;
  const { clock } = options;
  const get = (id = '') => docs.getLive('post', id);
  const change = (id: string, patch: Partial<Post>) => docs.change('post', id, patch);

  function attachedTo(id: string, author: string, [first]: readonly string[]) {
    const file = docs.get('medium', first ?? '');
    if (file === undefined) return undefined;
    const place = `https://x.com/${users.nameOf(users.get(author)!)}/status/${id}`;
    const part = mediaKind(file.category) === 'photo' ? 'photo' : 'video';
    return { media_key: mediaKey(file), expanded_url: `${place}/${part}/1` };
  }
  /** The text, preceded by the handles of those it replies to. */
  function addressed(words: string, { reply_to, exclude = [] }: Draft, author: string): string {
    const to = users.get(get(reply_to)?.page_id ?? '');
    const isNamed = to === undefined || [author, ...exclude, ...texts.named(words)].includes(to.id);
    return isNamed ? words : `@${users.nameOf(to)} ${words}`;
  }

  return Object.freeze({
    get,
    create(author: string, draft: Draft, client?: string): Post {
      const { media = [], poll, quoted, reply_to = '', reply_settings = 'everyone' } = draft;
      const [id, at, words] = [newId(), clock.now(), draft.text.trim()];
      const view = texts.compose(addressed(words, draft, author), attachedTo(id, author, media));
      const post = docs.put('post', {
        id,
        at,
        page_id: author,
        parent_id: reply_to,
        root: get(reply_to)?.root ?? id,
        words,
        ...view,
        media,
        named: texts.named(words),
        poll,
        quoted,
        reply_settings,
        client,
        likes: [],
        reposts: [],
        quotes: 0,
        views: 0,
        is_hidden: false,
        versions: [{ action: 'create', at, record: { text: view.text, media } }],
      });
      const cited = get(quoted);
      if (cited !== undefined) change(cited.id, { quotes: cited.quotes + 1 });
      events.posted(post);
      return post;
    },
    remove({ id, versions }: Post): void {
      const at = clock.now();
      events.removed(change(id, { deleted_at: at, versions: [...versions, { action: 'delete', at, record: {} }] }));
    },
    like({ id, likes }: Post, by: string, isLiked: boolean): void {
      const others = likes.filter((one) => one !== by);
      const now = change(id, { likes: isLiked ? [...others, by] : others });
      if (isLiked && !likes.includes(by)) events.liked(now, by);
    },
    hide: ({ id }: Post, is_hidden: boolean) => void change(id, { is_hidden }),
    view: ({ id, views }: Post, times = 1) => void change(id, { views: views + times }),
    repost: ({ id, reposts }: Post, by: string) => void change(id, { reposts: [...new Set([...reposts, by])] }),
    /** Posts in lists, newest first. New ones may appear late. */
    listed: (where: Readonly<{ page?: string }> = {}): readonly Post[] =>
      docs
        .listLive('post', where)
        .filter((post) => post.at + settings.get('list_lag_ms') <= clock.now())
        .toReversed(),
    answers: (id: string): readonly Post[] => docs.listLive('post', { parent: id }),
  });
}

/** The id of a conversation of two people, in which the smaller id comes first. */
export const conversationOf = (one: string, other: string): string =>
  [one, other].toSorted((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1)).join('-');

export function makeTalk({ docs, newId, options: { clock } }: World, users: Users, texts: Texts, events: Events) {
  const membersOf = (conversation: string): readonly string[] => conversation.split('-');

  return Object.freeze({
    membersOf,
    of: (user: string): readonly Message[] =>
      docs
        .listLive('message')
        .filter((one) => one.participants.includes(user))
        .toReversed(),
    /** Throws if one of the recipients cannot be messaged. */
    check(by: string, conversation: string): void {
      const others = membersOf(conversation).filter((id) => id !== by);
      const shutsOut = (id: string) =>
        (users.get(id)?.shuts_out ?? []).some((one) => one === by || one === 'everybody');
      if (others.some((id) => users.get(id) === undefined || shutsOut(id)))
        throw forbidden('You do not have permission to DM one or more participants.');
    },
    say(by: string, conversation: string, words: string, media?: string): Message {
      const content = { by, participants: membersOf(conversation), media, ...texts.compose(words) };
      const message = docs.put('message', { id: newId(), at: clock.now(), page_id: conversation, ...content });
      events.said(message);
      return message;
    },
    read(by: string, conversation: string): void {
      const last = docs.list('message', { page: conversation }).findLast((one) => one.by !== by);
      if (last !== undefined && last.read !== true) events.read(docs.change('message', last.id, { read: true }), by);
    },
  });
}
