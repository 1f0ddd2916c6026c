export const POST = 'app.bsky.feed.post';

/** Whose post a URI names, and its key; undefined for anything but a post. */
export function postAt(uri: unknown): Readonly<{ who: string; rkey: string }> | undefined {
  const [, who, rkey] = /^at:\/\/([^/]+)\/app\.bsky\.feed\.post\/([^/]+)$/.exec(String(uri)) ?? [];
  return who === undefined || rkey === undefined ? undefined : { who, rkey };
}
