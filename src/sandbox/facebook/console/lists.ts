import type { Pushes } from '../../kit/push/pushes.ts';
import type { World } from '../world.ts';

const SHOWN_PUSHES = 500;

/** Everything there is, as it is stored, for the control door. */
export function listsOf(
  { nodes, people, files, settings }: World,
  queue: Pushes,
): Readonly<Record<string, () => unknown>> {
  return Object.freeze({
    pages: () => people.pages(),
    followers: () =>
      people.followers().map((one) => ({
        ...one,
        psids: Object.fromEntries(people.pages().map(({ id }) => [id, people.psid(id, one.id)])),
      })),
    posts: () => nodes.list('post'),
    photos: () => nodes.list('photo').map((photo) => ({ ...photo, sha256: files.sha256(photo.blob) })),
    videos: () => nodes.list('video').map((video) => ({ ...video, sha256: files.sha256(video.blob) })),
    comments: () => nodes.list('comment'),
    reactions: () => nodes.list('reaction'),
    threads: () => nodes.list('thread'),
    messages: () => nodes.list('message'),
    pushes: () => queue.list(SHOWN_PUSHES).toReversed(),
    settings: () => settings.all(),
  });
}
