import type { Clock } from '../../kernel/clock.ts';
import type { Store } from '../store.ts';
import type { Comment, Message, Nodes, Post, Thread } from './docs.ts';
import { graphTime, seconds } from '../graph/ids.ts';
import type { People } from './people.ts';

/** A waiting update: one change of a Page, or one thing that happened in a conversation. */
export type Update = Readonly<{ page_id: string; kind: 'changes' | 'messaging'; at: number; item: unknown }>;

export type Updates = Readonly<{
  post(post: Post, verb: string): void;
  comment(comment: Comment, verb: string): void;
  reaction(
    about: Readonly<{ page_id: string; post_id: string; comment_id?: string; parent_id: string }>,
    actor: string,
    type: string,
    verb: string,
  ): void;
  mention(post: Post, comment?: Comment): void;
  messaging(field: string, thread: Thread, from: 'page' | 'person', item: object): void;
  /** Takes what waits, oldest first. Inside a transaction only. */
  take(most: number): readonly Update[];
  waiting(): number;
  reset(): void;
}>;

/** What kind of post the feed update calls it. */
const itemOf = (post: Post) => {
  if (post.author !== undefined) return 'post';
  if (post.video !== undefined) return 'video';
  if (post.photos.length > 0) return 'photo';
  return post.link === undefined ? 'status' : 'share';
};

/** Who did something, and the post it is about. */
function makeDescriptions({ nodes, people, www }: Readonly<{ nodes: Nodes; people: People; www: () => string }>) {
  const fromOf = (page: string, author: string | undefined) =>
    author === undefined
      ? { id: page, name: nodes.get('page', page)?.name }
      : { id: people.psid(page, author), name: people.byId(author)?.name };

  const about = (post: Post) => ({
    status_type: post.status_type,
    is_published: post.is_published,
    updated_time: graphTime(post.updated_at),
    permalink_url: `${www()}/${post.page_id}/posts/${post.id.split('_').at(-1)}`,
    promotion_status: 'inactive',
    id: post.id,
  });

  return Object.freeze({ fromOf, about });
}

/** Updates for the app, stored when they happen and bundled into deliveries. */
export function openUpdates(
  { db }: Store,
  { nodes, people, clock, www }: Readonly<{ nodes: Nodes; people: People; clock: Clock; www: () => string }>,
): Updates {
  db.exec(`create table if not exists fb_update (
    id integer primary key, page_id text not null, kind text not null, at integer not null, item text not null
  ) strict`);

  const insert = db.prepare('insert into fb_update (page_id, kind, at, item) values (?, ?, ?, ?)');
  const oldest = db.prepare('select * from fb_update order by id limit ?');
  const drop = db.prepare('delete from fb_update where id = ?');
  const count = db.prepare('select count(*) as n from fb_update');

  function add(page: string, field: string, kind: Update['kind'], item: unknown): void {
    // What the app has not asked for is not kept for it either.
    if (nodes.get('page', page)?.subscription?.fields.includes(field) !== true) return;
    insert.run(page, kind, clock.now(), JSON.stringify(item));
  }
  const change = (page: string, field: string, value: object) => add(page, field, 'changes', { field, value });

  const { fromOf, about } = makeDescriptions({ nodes, people, www });

  return Object.freeze({
    post(post: Post, verb: string) {
      change(post.page_id, 'feed', {
        from: fromOf(post.page_id, post.author),
        ...(verb !== 'remove' && post.message !== undefined && { message: post.message }),
        ...(post.photos.length === 1 && { photo_id: post.photos[0] }),
        ...(post.photos.length > 1 && { photo_ids: post.photos }),
        ...(post.video !== undefined && { video_id: post.video }),
        ...(post.link !== undefined && { link: post.link }),
        post_id: post.id,
        created_time: seconds(verb === 'remove' ? clock.now() : post.at),
        item: itemOf(post),
        verb,
        ...(verb !== 'remove' && { published: post.is_published ? 1 : 0 }),
      });
    },
    comment(comment: Comment, verb: string) {
      const post = nodes.get('post', comment.post_id);
      change(comment.page_id, 'feed', {
        from: fromOf(comment.page_id, comment.author),
        ...(post !== undefined && verb !== 'remove' && { post: about(post) }),
        ...(verb !== 'remove' && { message: comment.message }),
        ...(verb === 'edited' && { edited_time: seconds(clock.now()) }),
        post_id: comment.post_id,
        comment_id: comment.id,
        created_time: seconds(verb === 'remove' ? clock.now() : comment.at),
        item: 'comment',
        parent_id: comment.parent_id,
        verb,
      });
    },
    reaction(
      { page_id, post_id, comment_id, parent_id }: Parameters<Updates['reaction']>[0],
      actor: string,
      type: string,
      verb: string,
    ) {
      const from = actor === page_id ? fromOf(page_id, undefined) : fromOf(page_id, actor);
      change(page_id, 'feed', {
        reaction_type: type.toLowerCase(),
        from,
        parent_id,
        ...(comment_id !== undefined && { comment_id }),
        post_id,
        verb,
        item: 'reaction',
        created_time: seconds(clock.now()),
      });
    },
    mention(post: Post, comment?: Comment) {
      const author = fromOf(post.page_id, comment?.author ?? post.author);
      change(post.page_id, 'mention', {
        post_id: post.id,
        ...(comment !== undefined && { comment_id: comment.id }),
        item: comment === undefined ? 'post' : 'comment',
        verb: 'add',
        message: comment?.message ?? post.message,
        sender_id: author.id,
        sender_name: author.name,
        created_time: seconds(comment?.at ?? post.at),
      });
    },
    messaging(field: string, { page_id, parent_id }: Thread, from: 'page' | 'person', item: object) {
      const page = { id: page_id };
      const person = { id: people.psid(page_id, parent_id) };
      const [sender, recipient] = from === 'page' ? [page, person] : [person, page];
      add(page_id, field, 'messaging', { sender, recipient, timestamp: clock.now(), ...item });
    },
    take(most: number) {
      const rows = oldest.all(most) as (Omit<Update, 'item'> & { id: number; item: string })[];
      for (const { id } of rows) drop.run(id);
      return rows.map(({ page_id, kind, at, item }) => ({ page_id, kind, at, item: JSON.parse(item) as unknown }));
    },
    waiting: () => (count.get() as { n: number }).n,
    reset: () => void db.exec('delete from fb_update'),
  });
}

/** How a message reads in an update; the addresses of its files are the twin's own. */
export function messageItem(message: Message, fileUrl: (blob: string) => string): object {
  return {
    mid: message.id,
    ...(message.text !== undefined && { text: message.text }),
    ...(message.pieces.length > 0 && {
      attachments: message.pieces.map(({ type, blob, payload }) => ({
        type,
        payload: blob === undefined ? payload : { url: fileUrl(blob) },
      })),
    }),
    ...(message.quick_reply !== undefined && { quick_reply: { payload: message.quick_reply } }),
    ...(message.reply_to !== undefined && { reply_to: { mid: message.reply_to } }),
  };
}
