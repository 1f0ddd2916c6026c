import { bluesky } from '../../../src/platforms/bluesky/index.ts';
import type { SendCall } from '../../../src/platforms/sending.ts';
import type { PlatformAnswer, PlatformRequest } from '../../../src/platforms/call.ts';

export const NOW = Date.UTC(2026, 10, 21, 12);
export const ALICE = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa';
export const BOB = 'did:plc:bbbbbbbbbbbbbbbbbbbbbbbb';
export const CAROL = 'did:plc:cccccccccccccccccccccccc';

const token = (scope: string) => `x.${Buffer.from(JSON.stringify({ scope })).toString('base64url')}.x`;
export const sessionWith = (scope: string) => ({
  did: ALICE,
  handle: 'alice.test',
  accessJwt: token(scope),
  refreshJwt: 'd.e.f',
});

export const answer = (
  status: number,
  body: unknown = {},
  headers: Readonly<Record<string, string>> = {},
): PlatformAnswer => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: Buffer.from(JSON.stringify(body)),
});
export const refusal = (status: number, error: string, message = '') => answer(status, { error, message });

const isAnswer = (made: unknown): made is PlatformAnswer =>
  (made as PlatformAnswer | undefined)?.body instanceof Uint8Array;

type Asked = Readonly<{ nsid: string; query: URLSearchParams; body: any; request: PlatformRequest }>;
export type Methods = Record<string, (asked: Asked) => unknown>;

/** A server that answers each method as scripted, and notes what was asked; the clock stands at `time.now`. */
export function scripted(methods: Methods, scope = 'com.atproto.appPassPrivileged') {
  const asked: Asked[] = [];
  const time = { now: NOW };
  const acting: SendCall = {
    hosts: bluesky.hosts.real,
    now: () => time.now,
    session: sessionWith(scope),
    open: () => Promise.reject(new Error('nothing to open')),
    async http(request) {
      const url = new URL(request.url);
      const nsid = url.pathname.slice('/xrpc/'.length);
      const body: unknown = typeof request.body === 'string' ? JSON.parse(request.body) : undefined;
      const one = { nsid, query: url.searchParams, body, request };
      asked.push(one);
      const method = methods[nsid];
      if (!method) return refusal(501, 'MethodNotImplemented', nsid);
      const made = await method(one);
      return isAnswer(made) ? made : answer(200, made);
    },
  };
  return { acting, asked, time, names: () => asked.map(({ nsid }) => nsid) };
}

export const postUri = (did: string, rkey: string) => `at://${did}/app.bsky.feed.post/${rkey}`;
export const at = (offsetMs: number) => new Date(NOW + offsetMs).toISOString();

const HANDLES: Readonly<Record<string, string>> = { [ALICE]: 'alice.test', [BOB]: 'bob.test', [CAROL]: 'carol.test' };
export const profile = (did: string) => ({
  did,
  handle: HANDLES[did],
  displayName: HANDLES[did]!.split('.', 1)[0]!.toUpperCase(),
  avatar: `https://cdn.test/${HANDLES[did]!}.jpg`,
});

type Draft = Readonly<{
  did: string;
  rkey: string;
  text?: string;
  root?: string;
  parent?: string;
  at?: number;
  more?: Readonly<Record<string, unknown>>;
}>;

const record = ({ text = '', root, parent = root, at: time = 0 }: Draft) => ({
  text,
  createdAt: at(time),
  ...(root && { reply: { root: { uri: root, cid: 'c' }, parent: { uri: parent!, cid: 'c' } } }),
});

/** A post as the AppView shows it. */
export const view = (draft: Draft) => ({
  uri: postUri(draft.did, draft.rkey),
  cid: `cid-${draft.rkey}`,
  author: profile(draft.did),
  record: record(draft),
  indexedAt: at((draft.at ?? 0) + 1000),
  likeCount: 1,
  replyCount: 2,
  repostCount: 0,
  quoteCount: 0,
  ...draft.more,
});

/** A notification about a post. */
export const notice = (reason: string, draft: Draft & Readonly<{ subject?: string }>) => ({
  uri: postUri(draft.did, draft.rkey),
  cid: `cid-${draft.rkey}`,
  author: profile(draft.did),
  reason,
  reasonSubject: draft.subject,
  record: record(draft),
  isRead: false,
  indexedAt: at(draft.at ?? 0),
});
