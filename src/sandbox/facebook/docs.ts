import type { Store } from '../store.ts';

/** The parent of posts and videos to which something will happen by itself. */
export const WAITING = 'waiting';

/** What every stored thing has: its id, the Page and the parent it is listed under, and when it came to be. */
type Doc = Readonly<{ id: string; at: number; page_id?: string; parent_id?: string }>;

/** Somebody with a Facebook account; owners have Pages, everybody may follow one. */
export type Person = Doc &
  Readonly<{
    handle: string;
    name: string;
    owner: boolean;
    /** Goes up when the password is changed; tokens of an older one are dead. */
    session_no: number;
    /** Cannot be written to. */
    unavailable?: boolean;
  }>;

export type Subscription = Readonly<{ fields: readonly string[]; at: number }>;
export type Page = Doc &
  Readonly<{ name: string; username: string; category: string; about: string; subscription?: Subscription }>;

/** What a person may do on a Page; `parent_id` is the person. */
export type Role = Doc & Readonly<{ page_id: string; parent_id: string; tasks: readonly string[] }>;

/** What a person allowed the app; the id is the person's. */
export type Grant = Doc &
  Readonly<{
    grant_no: number;
    scopes: Readonly<Record<string, 'granted' | 'declined'>>;
    pages: readonly string[];
    login_at: number;
  }>;

export type Code = Doc & Readonly<{ person: string; redirect_uri: string; used: boolean }>;

export type Version = Readonly<{ action: 'create' | 'update' | 'delete'; at: number; record: unknown }>;
export type Post = Doc &
  Readonly<{
    page_id: string;
    /** When it was first written; `at` moves to the moment of publication. */
    made_at: number;
    updated_at: number;
    /** The person who wrote it; absent when the Page did. */
    author?: string;
    by_app: boolean;
    /** It is elsewhere and only names the Page. */
    mention?: boolean;
    status_type: string;
    message?: string;
    link?: string;
    photos: readonly string[];
    video?: string;
    story?: 'photo' | 'video';
    is_published: boolean;
    unpublished_content_type?: string;
    scheduled_at?: number;
    /** Readers by id find it from here on; lists from `listed_from`. */
    seen_from: number;
    listed_from: number;
    views: number;
    deleted_at?: number;
    versions: readonly Version[];
  }>;

export type Photo = Doc &
  Readonly<{
    page_id: string;
    blob: string;
    width: number;
    height: number;
    caption?: string;
    alt?: string;
    published: boolean;
    post_id?: string;
    seen_from: number;
    deleted_at?: number;
  }>;

export type Video = Doc &
  Readonly<{
    page_id: string;
    made_by: 'videos' | 'video_reels' | 'video_stories';
    blob: string;
    /** The size in bytes as announced; absent until it is announced or received. */
    file_size?: number;
    received: number;
    uploaded: boolean;
    /** Reads of its status that still answer `processing`, and the time from which they may not. */
    polls_left: number;
    ready_from: number;
    failed?: boolean;
    title?: string;
    description?: string;
    published: boolean;
    /** The uploader has asked for publication; it takes place when processing is over. */
    wanted: boolean;
    finished: boolean;
    scheduled_at?: number;
    published_at?: number;
    post_id: string;
    seen_from: number;
    views: number;
    deleted_at?: number;
  }>;

export type Comment = Doc &
  Readonly<{
    page_id: string;
    /** The post, or the comment it replies to. */
    parent_id: string;
    post_id: string;
    author?: string;
    by_app: boolean;
    message: string;
    attachment?: string;
    is_hidden: boolean;
    edited_at?: number;
    seen_from: number;
    private_reply?: string;
    deleted_at?: number;
  }>;

/** One actor's reaction to a post or comment, which is `parent_id`; the Page itself acts under its own id. */
export type Reaction = Doc & Readonly<{ page_id: string; parent_id: string; actor: string; type: string }>;

/** A conversation of a Page with the person who is `parent_id`. */
export type Thread = Doc &
  Readonly<{
    page_id: string;
    parent_id: string;
    updated_at: number;
    /** When the person last wrote or tapped; the window is counted from it. */
    inbound_at?: number;
    unread: number;
  }>;

export type Piece = Readonly<{ type: string; blob?: string; payload?: unknown }>;
export type Message = Doc &
  Readonly<{
    page_id: string;
    parent_id: string;
    from_page: boolean;
    by_app: boolean;
    text?: string;
    pieces: readonly Piece[];
    quick_replies?: readonly unknown[];
    quick_reply?: string;
    reply_to?: string;
    metadata?: string;
    reaction?: string;
    edits: number;
    delivered: boolean;
    read: boolean;
    deleted_at?: number;
  }>;

export type Attachment = Doc & Readonly<{ page_id: string; type: string; blob: string }>;
/** Bytes kept in pieces beside; `id` is their address on the file host. */
export type Blob = Doc & Readonly<{ mime: string; size: number; name: string }>;

export type Docs = Readonly<{
  person: Person;
  page: Page;
  role: Role;
  grant: Grant;
  code: Code;
  post: Post;
  photo: Photo;
  video: Video;
  comment: Comment;
  reaction: Reaction;
  thread: Thread;
  message: Message;
  attachment: Attachment;
  blob: Blob;
}>;
export type Kind = keyof Docs;
export type Found = { [K in Kind]: Readonly<{ kind: K; doc: Docs[K] }> }[Kind];

export type Nodes = Readonly<{
  get<K extends Kind>(kind: K, id: string): Docs[K] | undefined;
  find(id: string): Found | undefined;
  put<K extends Kind>(kind: K, doc: Docs[K]): Docs[K];
  /** Writes some members of what is there; a member that becomes undefined is gone. */
  change<K extends Kind>(kind: K, id: string, patch: Partial<Docs[K]>): Docs[K];
  /** Oldest first. */
  list<K extends Kind>(kind: K, where?: Readonly<{ page?: string; parent?: string }>): readonly Docs[K][];
  remove(kind: Kind, id: string): void;
  clear(kinds: readonly Kind[]): void;
}>;

/** The twin's documents: one row each, listed by Page or by parent. */
export function openNodes({ db }: Store): Nodes {
  db.exec(`create table if not exists fb_node (
    seq integer primary key, kind text not null, id text not null, page_id text not null, parent_id text not null,
    at integer not null, json text not null, unique (id, kind)
  ) strict;
  create index if not exists fb_node_page on fb_node (kind, page_id, at, seq);
  create index if not exists fb_node_parent on fb_node (kind, parent_id, at, seq)`);
  const one = db.prepare('select json from fb_node where id = ? and kind = ?');
  // A person's id is also the id of the grant; the person is what the id is about.
  const any = db.prepare('select kind, json from fb_node where id = ? order by seq limit 1');
  const write = db.prepare(
    `insert into fb_node (kind, id, page_id, parent_id, at, json) values (?, ?, ?, ?, ?, ?)
     on conflict (id, kind) do update set page_id = excluded.page_id, parent_id = excluded.parent_id,
       at = excluded.at, json = excluded.json`,
  );
  const all = db.prepare('select json from fb_node where kind = ? order by at, seq');
  const ofPage = db.prepare('select json from fb_node where kind = ? and page_id = ? order by at, seq');
  const ofParent = db.prepare('select json from fb_node where kind = ? and parent_id = ? order by at, seq');
  const drop = db.prepare('delete from fb_node where kind = ? and id = ?');
  const dropAll = db.prepare('delete from fb_node where kind = ?');
  const read = <T>(row: unknown): T => JSON.parse((row as { json: string }).json) as T;

  function get<K extends Kind>(kind: K, id: string): Docs[K] | undefined {
    const row = one.get(id, kind);
    return row === undefined ? undefined : read(row);
  }
  function put<K extends Kind>(kind: K, doc: Docs[K]): Docs[K] {
    write.run(kind, doc.id, doc.page_id ?? '', doc.parent_id ?? '', doc.at, JSON.stringify(doc));
    return doc;
  }

  return Object.freeze({
    get,
    put,
    find(id: string) {
      const row = any.get(id) as { kind: Kind; json: string } | undefined;
      return row === undefined ? undefined : ({ kind: row.kind, doc: read(row) } as Found);
    },
    change<K extends Kind>(kind: K, id: string, patch: Partial<Docs[K]>) {
      const old = get(kind, id);
      if (old === undefined) throw new Error(`There is no ${kind} ${id}.`);
      return put(kind, { ...old, ...patch });
    },
    list<K extends Kind>(kind: K, { page, parent }: { page?: string; parent?: string } = {}) {
      const rows =
        parent !== undefined ? ofParent.all(kind, parent) : page !== undefined ? ofPage.all(kind, page) : all.all(kind);
      const docs = rows.map((row) => read<Docs[K]>(row));
      return parent !== undefined && page !== undefined ? docs.filter((doc) => doc.page_id === page) : docs;
    },
    remove: (kind: Kind, id: string) => void drop.run(kind, id),
    clear(kinds: readonly Kind[]) {
      for (const kind of kinds) dropAll.run(kind);
    },
  });
}
