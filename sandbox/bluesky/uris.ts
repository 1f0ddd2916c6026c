export const POST = 'app.bsky.feed.post';

export function postAt(uri: unknown): Readonly<{ who: string; rkey: string }> | undefined {
  const [, who, rkey] = /^at:\/\/([^/]+)\/app\.bsky\.feed\.post\/([^/]+)$/.exec(String(uri)) ?? [];
  return who === undefined || rkey === undefined ? undefined : { who, rkey };
}
