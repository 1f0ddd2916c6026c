import type { GoogleCall, GoogleRoute } from '../../googleapis/calls.ts';
import { answer } from '../../kit/api/routes.ts';
import { randomText } from '../../kit/ids.ts';
import { MODERATION, type Comment, type Moderation, type Video } from '../docs.ts';
import { badParameter, forbidden, missing, notFound, refuse } from '../errors.ts';
import type { Videos, World } from '../world.ts';
import { channelOf, listed, objectIn, on, partIn, wordsOf, type Parts } from './calls.ts';

const MOST = 100;
const MOST_TEXT = 10_000;
const PAGES = { most: MOST, usual: 20 };

const disabled = () => refuse(403, 'commentsDisabled', 'The video has disabled comments.', 'youtube.commentThread');

export function makeComments({ docs, options: { clock } }: World, videos: Videos) {
  return Object.freeze({
    get: (id: string): Comment | undefined => docs.getLive('comment', id),
    /** All comments on the videos of a channel, oldest first. */
    of: (channel: string) => docs.listLive('comment', { page: channel }),
    repliesTo: (id: string) => docs.listLive('comment', { parent: id }),
    isOpen: ({ commentsDisabled, about }: Video) => commentsDisabled !== true && !about.madeForKids,
    /** Adds a comment. Only the owner sees one that is held. Inside a transaction. */
    say(video: Video, author: string, text: string, state: Moderation = 'published', parent?: Comment): Comment {
      const at = clock.now();
      const id = parent === undefined ? `Ug${randomText(18)}` : `${parent.id}.${randomText(16)}`;
      const about = { page_id: video.page_id, video: video.id, author, text, likes: 0, state, changed_at: at };
      return docs.put('comment', { id, at, ...about, ...(parent !== undefined && { parent_id: parent.id }) });
    },
    change: (id: string, patch: Partial<Comment>) => docs.change('comment', id, patch),
    remove(id: string): void {
      for (const one of [id, ...docs.list('comment', { parent: id }).map((reply) => reply.id)])
        docs.change('comment', one, { deleted_at: clock.now() });
    },
    videoOf: ({ video }: Comment) => videos.get(video),
  });
}
export type Comments = ReturnType<typeof makeComments>;

function textIn(snippet: Readonly<Record<string, unknown>>): string {
  const text = snippet['textOriginal'];
  if (typeof text !== 'string' || text.trim() === '')
    throw refuse(400, 'commentTextRequired', 'The comment must have a text.', 'youtube.comment');
  if (text.length > MOST_TEXT)
    throw refuse(400, 'commentTextTooLong', 'The comment text is too long.', 'youtube.comment');
  return text;
}

/** Lists the threads of a video or channel, with filters, order and search. */
function makeThreads(parts: Parts, comments: Comments) {
  const { videos, channels } = parts;

  function scope(call: GoogleCall): Readonly<{ all: readonly Comment[]; channel: string }> {
    const [video, related] = [call.params.text('videoId'), call.params.text('allThreadsRelatedToChannelId')];
    if (video !== undefined) {
      const found = videos.get(video);
      const isSeen = found && (call.caller.profiles[0] === found.page_id || videos.privacyOf(found) !== 'private');
      if (found === undefined || isSeen !== true) throw notFound('video');
      if (!comments.isOpen(found)) throw disabled();
      return { all: comments.of(found.page_id).filter((one) => one.video === video), channel: found.page_id };
    }
    if (related === undefined) throw missing('videoId, allThreadsRelatedToChannelId, id');
    if (channels.get(related) === undefined) throw notFound('channel');
    return { all: comments.of(related), channel: related };
  }

  return function threads(call: GoogleCall): readonly Comment[] {
    const { params } = call;
    const ids = wordsOf(call, 'id');
    if (ids.length > 0) return ids.flatMap((id) => comments.get(id) ?? []).filter((one) => one.parent_id === undefined);
    const { all, channel } = scope(call);
    const state = params.oneOf('moderationStatus', MODERATION.slice(0, 3)) ?? 'published';
    if (state !== 'published' && call.caller.profiles[0] !== channel) throw forbidden();
    const words = params.text('searchTerms')?.toLowerCase();
    const tops = all.filter(
      (one) =>
        one.parent_id === undefined &&
        one.state === state &&
        (words === undefined || one.text.toLowerCase().includes(words)),
    );
    const order = params.oneOf('order', ['time', 'relevance']) ?? 'time';
    const last = ({ id, at }: Comment) => Math.max(at, ...comments.repliesTo(id).map((reply) => reply.at));
    const timed = tops.toReversed().map((top) => ({ top, at: last(top) }));
    const newest = timed.toSorted((a, b) => b.at - a.at).map(({ top }) => top);
    return order === 'time' ? newest : newest.toSorted((a, b) => b.likes - a.likes);
  };
}

export function commentRoutes(parts: Parts, comments: Comments): readonly GoogleRoute[] {
  const { world, videos, views } = parts;
  const { store, clock } = world.options;
  const threads = makeThreads(parts, comments);
  const published = (id: string) => comments.repliesTo(id).filter(({ state }) => state === 'published');
  const known = (id: string): Comment => {
    const found = comments.get(id);
    if (found === undefined) throw notFound('comment');
    return found;
  };

  function insertThread(call: GoogleCall): unknown {
    const wanted = partIn(call);
    const snippet = objectIn(call.params.values, 'snippet');
    const { id: author } = channelOf(parts, call);
    const text = textIn(objectIn(objectIn(snippet, 'topLevelComment'), 'snippet'));
    const { videoId } = snippet;
    if (typeof videoId !== 'string') throw missing('videoId');
    const video = videos.get(videoId);
    if (video === undefined) throw notFound('video');
    if (!comments.isOpen(video)) throw disabled();
    if (videos.privacyOf(video) === 'private') throw forbidden();
    return views.thread(
      store.write(() => comments.say(video, author, text)),
      [],
      wanted,
    );
  }
  function insertReply(call: GoogleCall): unknown {
    partIn(call);
    const snippet = objectIn(call.params.values, 'snippet');
    const { parentId } = snippet;
    if (typeof parentId !== 'string') throw missing('parentId');
    const text = textIn(snippet);
    const parent = comments.get(parentId);
    const video = parent && comments.videoOf(parent);
    if (parent === undefined || parent.parent_id !== undefined || video === undefined)
      throw refuse(404, 'parentCommentNotFound', 'The parent comment cannot be found.', 'youtube.comment');
    if (!comments.isOpen(video)) throw disabled();
    const { id: author } = channelOf(parts, call);
    return views.commentOf(store.write(() => comments.say(video, author, text, 'published', parent)));
  }
  function list(call: GoogleCall): readonly Comment[] {
    const ids = wordsOf(call, 'id');
    if (ids.length > 0) return ids.flatMap((id) => comments.get(id) ?? []);
    const parent = call.params.text('parentId');
    if (parent === undefined) throw missing('parentId, id');
    return published(known(parent).id).toReversed();
  }
  function moderate(call: GoogleCall): unknown {
    const ids = wordsOf(call, 'id');
    if (ids.length === 0) throw missing('id');
    const state = call.params.oneOf('moderationStatus', ['published', 'heldForReview', 'rejected'] as const);
    if (state === undefined) throw missing('moderationStatus');
    if (call.params.flag('banAuthor') === true && state !== 'rejected')
      throw refuse(400, 'banWithoutReject', 'Only authors of rejected comments can be banned.', 'youtube.comment');
    const { id: channel } = channelOf(parts, call);
    const found = ids.map(known);
    if (found.some(({ page_id }) => page_id !== channel)) throw forbidden();
    store.write(() => {
      for (const { id } of found) {
        comments.change(id, { state });
        // Nobody can see a rejected comment.
        if (state === 'rejected') comments.remove(id);
      }
    });
    return answer('', 204);
  }
  function ownComment(call: GoogleCall, id: string): Comment {
    const comment = known(id);
    if (comment.author !== channelOf(parts, call).id) throw forbidden();
    return comment;
  }

  return [
    on('GET', '/youtube/v3/commentThreads', 'read', (call) => {
      const wanted = partIn(call);
      return listed(call, 'commentThread', threads(call), PAGES, (top) => views.thread(top, published(top.id), wanted));
    }),
    on('POST', '/youtube/v3/commentThreads', 'comment', insertThread),
    on('GET', '/youtube/v3/comments', 'read', (call) => {
      partIn(call);
      return listed(call, 'comment', list(call), PAGES, views.commentOf);
    }),
    on('POST', '/youtube/v3/comments', 'comment', insertReply),
    on('PUT', '/youtube/v3/comments', 'comment', (call) => {
      partIn(call);
      const { id } = call.params.values;
      if (typeof id !== 'string') throw badParameter('id');
      const text = textIn(objectIn(call.params.values, 'snippet'));
      return views.commentOf(comments.change(ownComment(call, id).id, { text, changed_at: clock.now() }));
    }),
    on('DELETE', '/youtube/v3/comments', 'comment', (call) => {
      const { id } = ownComment(call, call.params.required('id'));
      store.write(() => comments.remove(id));
      return answer('', 204);
    }),
    on('POST', '/youtube/v3/comments/setModerationStatus', 'comment', moderate),
  ];
}
