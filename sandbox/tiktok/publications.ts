/** Publications of both products. They are processed and published, and get a post id after moderation. */
import { DAY } from '#kernel/clock.ts';
import { makeDue } from '../kit/due.ts';
import type { Blob } from '../kit/files.ts';
import { digits } from '../kit/ids.ts';
import type { About, Post, Publication, Upload } from './docs.ts';
import { WORDS } from './errors.ts';
import type { Events } from './pushes.ts';
import { newId, type World } from './world.ts';

const MB = 1024 * 1024;
export const MOST_VIDEO = 4 * 1024 * MB;
const MOST_PHOTO = 20 * MB;
const TYPES = Object.freeze({
  video: ['video/mp4', 'video/quicktime', 'video/webm'],
  photo: ['image/jpeg', 'image/webp'],
});

const workOn = (upload: Upload | undefined) => (upload === undefined ? 'PROCESSING_DOWNLOAD' : 'PROCESSING_UPLOAD');

function makeCourse({ docs, options, settings, pushes }: World, events: Events) {
  const { clock, store } = options;
  const due = makeDue({ store, clock, nodes: docs }, happen, pushes.kick);

  function tell({ id: publish_id, page_id, product, isDraft }: Publication, event: string, more: object): void {
    const content = { publish_id, publish_type: isDraft ? 'INBOX_SHARE' : 'DIRECT_PUBLISH', ...more };
    if (product === 'business') events.business(page_id, 'VIDEO', `post.publish.${event}`, content);
    else events.developers(page_id, `post.publish.${event}`, content);
  }
  function fail(publication: Publication, reason: string): void {
    docs.change('publication', publication.id, { status: 'FAILED', reason });
    tell(publication, 'failed', { reason });
  }
  /** Creates the post, which becomes public after moderation. */
  function complete(publication: Publication): Post {
    const { id, page_id, about, blobs } = publication;
    const post = newPost(page_id, about, blobs, true);
    docs.change('publication', id, { status: 'PUBLISH_COMPLETE', post: post.id });
    tell(publication, 'complete', {});
    if (about.privacy === 'PUBLIC_TO_EVERYONE') due.add(`public ${id}`, settings.get('moderation_ms'));
    return post;
  }
  function newPost(page_id: string, about: About, blobs: readonly string[], by_app: boolean, public_at?: number): Post {
    // Posts need distinct times, because lists are sorted by them.
    const at = Math.max(clock.now(), ...docs.list('post', { page: page_id }).map((post) => post.at + 1));
    const versions = [{ action: 'create', at, record: about }] as const;
    const counts = { views: 0, shares: 0, likes: [] };
    return docs.put('post', { id: newId(), at, page_id, about, blobs, by_app, public_at, versions, ...counts });
  }
  function flawOf({ about, blobs }: Publication): string | undefined {
    const files = blobs.map((id) => docs.get('blob', id)!);
    if (files.some(({ mime }) => !TYPES[about.kind].includes(mime))) return 'file_format_check_failed';
    if (about.kind === 'photo' && files.some(({ size }) => size > MOST_PHOTO)) return 'picture_size_check_failed';
    return settings.get('publish_failure') || undefined;
  }
  /** Runs a scheduled event. Inside a transaction. */
  function happen(what: string): void {
    const [kind, id = ''] = what.split(' ');
    const publication = docs.get('publication', id);
    if (publication === undefined) return;
    if (kind === 'public') {
      const post = docs.getLive('post', publication.post ?? '');
      if (post === undefined) return;
      docs.change('post', post.id, { public_at: clock.now() });
      tell(publication, 'publicly_available', { post_id: post.id });
      return;
    }
    if (publication.status === 'FAILED') return;
    const flaw = flawOf(publication);
    if (flaw !== undefined) fail(publication, flaw);
    else if (publication.isDraft) {
      docs.change('publication', id, { status: 'SEND_TO_USER_INBOX' });
      tell(publication, 'inbox_delivered', {});
    } else complete(publication);
  }

  return { due, tell, fail, complete, newPost };
}

type Begun = Pick<Publication, 'page_id' | 'product' | 'isDraft' | 'about'>;
export type Publications = ReturnType<typeof makePublications>;

export function makePublications(world: World, events: Events) {
  const { docs, options, settings, fetching } = world;
  const { clock, store } = options;
  const { due, tell, fail, complete, newPost } = makeCourse(world, events);

  const recent = (account: string) =>
    docs
      .list('publication', { page: account })
      .filter(({ at, status }) => at > clock.now() - DAY && status !== 'FAILED');
  function check({ page_id, product, isDraft, about }: Begun): void {
    const same = recent(page_id).filter((one) => one.isDraft === isDraft);
    const waiting = same.filter(({ post }) => post === undefined);
    const refuse = WORDS[product].refused;
    if (isDraft && waiting.length >= settings.get('drafts_a_day')) throw refuse('spam_risk_too_many_pending_share');
    if (!isDraft && same.length >= settings.get('posts_a_day')) throw refuse('spam_risk_too_many_posts');
    const users = docs.list('publication').filter(({ at, page_id: by }) => at > clock.now() - DAY && by !== page_id);
    const most = settings.get('users_a_day');
    if (most > 0 && new Set(users.map((one) => one.page_id)).size >= most) throw refuse('reached_active_user_cap');
    if (settings.get('unaudited') && !isDraft && about.privacy !== 'SELF_ONLY')
      throw refuse('unaudited_client_can_only_post_to_private_accounts');
  }
  const nameFor = ({ about, isDraft }: Begun, from: 'file' | 'url') =>
    `${about.kind === 'photo' ? 'p' : 'v'}_${isDraft ? 'inbox' : 'pub'}_${from}~v2-1.${digits(19)}`;
  function put(begun: Begun, from: 'file' | 'url', more: Partial<Publication>): Publication {
    const id = nameFor(begun, from);
    const status = workOn(more.upload);
    return docs.put('publication', { ...begun, id, at: clock.now(), blobs: [], status, asked: 0, ...more });
  }

  return Object.freeze({
    due,
    newPost,
    upload(begun: Begun, upload: Upload, blob: string): Publication {
      return store.write(() => {
        check(begun);
        return put(begun, 'file', { upload, blobs: [blob] });
      });
    },
    /** Call it when the last byte has arrived. Inside a transaction. */
    uploaded: (id: string) => due.add(`process ${id}`, settings.get('processing_ms')),
    /** Downloads files by URL and starts processing them. */
    async pull(begun: Begun, urls: readonly string[]): Promise<Publication> {
      check(begun);
      const { product, about } = begun;
      if (!urls.every(world.isVerified)) throw WORDS[product].refused('url_ownership_unverified');
      const fetched: (Blob | undefined)[] = [];
      for (const url of urls)
        fetched.push(await fetching.media(url, about.kind === 'video' ? MOST_VIDEO : 2 * MOST_PHOTO, 0));
      return store.write(() => {
        check(begun);
        const made = put(begun, 'url', { blobs: fetched.flatMap((blob) => blob?.id ?? []) });
        if (fetched.includes(undefined)) fail(made, `${about.kind}_pull_failed`);
        else due.add(`process ${made.id}`, settings.get('processing_ms'));
        return made;
      });
    },
    /** The state of a publication. A private post has no id to show. */
    state({ id, status, asked, post, upload, reason }: Publication) {
      docs.change('publication', id, { asked: asked + 1 });
      const isLate = asked < settings.get('polls') && !status.startsWith('PROCESSING');
      const view = docs.get('post', post ?? '');
      const ids = !isLate && view?.public_at !== undefined ? [view.id] : [];
      return { status: isLate ? workOn(upload) : status, ids, reason: isLate ? undefined : reason };
    },
    post: (draft: Publication): Post => complete(draft),
    /** Removes a post, because of its creator or moderation. Inside a transaction. */
    remove(post: Post, isHidden = false): void {
      const versions = [...post.versions, { action: 'delete', at: clock.now(), record: post.about } as const];
      docs.change('post', post.id, isHidden ? { public_at: undefined } : { deleted_at: clock.now(), versions });
      const publication = docs.list('publication', { page: post.page_id }).find((one) => one.post === post.id);
      if (publication && post.public_at !== undefined)
        tell(publication, 'no_longer_publicaly_available', { post_id: post.id });
    },
  });
}
