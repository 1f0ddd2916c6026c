import { html, type Html } from '../html.ts';
import { drawOffers, drawPost, drawContentWithAuthor } from '../kit/drawing.ts';
import { makeSite } from '../kit/site.ts';
import type { Offer } from '../twin.ts';
import { ABOUT } from './about.ts';
import type { Parts } from './api/calls.ts';
import type { Comments } from './api/comments.ts';
import type { Comment, Video } from './docs.ts';

export function makePages({ world, channels, videos }: Parts, comments: Comments) {
  const { docs } = world;
  const at = `/sandbox/${ABOUT.slug}`;

  function drawComment(comment: Comment, offer?: Offer): Html {
    const { id, author, text, state, likes, at: when, parent_id } = comment;
    return drawContentWithAuthor({
      isOwn: author === comment.page_id,
      author: channels.nameOf(author),
      badges: [state !== 'published' && state],
      text,
      at: when,
      note: likes > 0 && ` ${likes} likes`,
      offers: drawOffers(offer, { comment: id }, { reply: 'Reply', like_comment: 'Like' }),
      below: parent_id === undefined ? comments.repliesTo(id).map((reply) => drawComment(reply, offer)) : [],
    });
  }
  /** A video. Visitors see only published comments, the console shows all. */
  function drawVideo(video: Video, offer?: Offer): Html {
    const { id, page_id, about, blob, at: when, views, likes, deleted_at } = video;
    const isGone = deleted_at !== undefined;
    const { state, reason } = videos.stateOf(video);
    const below = comments
      .of(page_id)
      .filter((one) => one.video === id && one.parent_id === undefined)
      .filter(({ state: view }) => offer !== undefined || view === 'published');
    return drawPost({
      author: channels.get(page_id)?.title,
      badges: [isGone && 'deleted', videos.privacyOf(video), state !== 'processed' && `${state} ${reason ?? ''}`],
      text: html`<strong>${about.title}</strong> ${about.description}`,
      media: html`<video controls src="${`${at}/cdn/${blob}`}"></video>`,
      at: when,
      ...(!isGone && { path: `${at}/www/watch?v=${id}` }),
      note: ` ${views} views, ${likes} likes`,
      offers:
        !isGone &&
        drawOffers(offer, { video: id }, { comment: 'Comment', watch: 'Watch', process: 'End the processing' }),
      below: below.map((one) => drawComment(one, offer)),
    });
  }

  return makeSite<Video>({
    about: ABOUT,
    /** `/watch?v=<id>`, `/channel/<id>` and `/@handle`. */
    at([first = '', second, ...more], query) {
      if (more.length > 0) return undefined;
      if (first === 'watch' && second === undefined) {
        const video = videos.get(query.get('v') ?? '');
        if (video === undefined || videos.privacyOf(video) === 'private') return undefined;
        return { name: video.about.title, body: drawVideo(video) };
      }
      const found = second === undefined ? channels.find(first) : undefined;
      const channel = first === 'channel' ? channels.get(second ?? '') : found;
      return channel && { name: channel.title, posts: videos.of(channel.id).filter(videos.isPublic).toReversed() };
    },
    draw: drawVideo,
    posts: () => docs.list('video'),
  });
}
