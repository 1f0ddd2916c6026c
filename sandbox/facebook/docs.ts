import type { GraphDocs } from '../graph/docs.ts';
import type { Doc } from '../kit/docs.ts';
import type { Version } from '../kit/people.ts';

/** The parent of posts and videos that have a scheduled event. */
export const WAITING = 'waiting';

export type Post = Doc &
  Readonly<{
    page_id: string;
    /** When it was created; on publication, `at` becomes the time of publication. */
    made_at: number;
    updated_at: number;
    /** The person who wrote it; undefined for the Page. */
    author?: string;
    by_app: boolean;
    /** A post elsewhere, which only mentions the Page. */
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
    /** The time in ms from which its id is found; from `listed_from` it is in lists. */
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
    /** The size in bytes; undefined until it is announced or the file has arrived. */
    file_size?: number;
    received: number;
    uploaded: boolean;
    /** How many status reads still return `processing`, and until when they do. */
    polls_left: number;
    ready_from: number;
    failed?: boolean;
    title?: string;
    description?: string;
    published: boolean;
    /** Should be published as soon as processing ends. */
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
    parent_id: string;
    post_id: string;
    author?: string;
    by_app: boolean;
    message: string;
    /** A file; if only the type is known, a picture is generated. */
    attachment?: string;
    attachment_type?: string;
    is_hidden: boolean;
    edited_at?: number;
    seen_from: number;
    private_reply?: string;
    deleted_at?: number;
  }>;

/** A reaction to `parent_id`. The Page reacts under its own id. */
export type Reaction = Doc & Readonly<{ page_id: string; parent_id: string; actor: string; type: string }>;

export type FacebookDocs = GraphDocs &
  Readonly<{ post: Post; photo: Photo; video: Video; comment: Comment; reaction: Reaction }>;
