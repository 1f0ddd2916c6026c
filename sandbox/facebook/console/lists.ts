import type { FacebookDocs } from '../docs.ts';
import type { World } from '../world.ts';

export function listsOf({
  nodes,
  people,
  files,
}: World): Readonly<Record<string, keyof FacebookDocs | (() => unknown)>> {
  return Object.freeze({
    pages: 'page',
    followers: () =>
      people.followers().map((one) => ({
        ...one,
        psids: Object.fromEntries(people.pages().map(({ id }) => [id, people.psid(id, one.id)])),
      })),
    posts: 'post',
    photos: () => nodes.list('photo').map((photo) => ({ ...photo, sha256: files.sha256(photo.blob) })),
    videos: () => nodes.list('video').map((video) => ({ ...video, sha256: files.sha256(video.blob) })),
    comments: 'comment',
    reactions: 'reaction',
    threads: 'thread',
    messages: 'message',
  });
}
