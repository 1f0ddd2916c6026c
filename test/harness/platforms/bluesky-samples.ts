import { errorOf } from '#platforms/bluesky/errors.ts';
import { bluesky } from '#platforms/bluesky/index.ts';
import type { PlatformAnswer } from '#platforms/call.ts';
import type { PlatformError } from '#platforms/errors.ts';
import { jsonIn } from '#platforms/shared/rest.ts';
import { answer, NOW, scripted, type Script } from './script.ts';

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

export const refusal = (status: number, error: string, message = '') => answer(status, { error, message });

/** A server that answers by method. */
export const methodsOf = (script: Script, scope = 'com.atproto.appPassPrivileged') =>
  scripted(script, {
    hosts: bluesky.hosts.real,
    session: sessionWith(scope),
    nameOf: ({ url }) => new URL(url).pathname.slice('/xrpc/'.length),
    missing: (method) => refusal(501, 'MethodNotImplemented', method),
  });

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

/** The error that the connector makes of an answer. */
export function refusalOf(answer: PlatformAnswer, now: number, of: 'network' | 'chat' = 'network'): PlatformError {
  return errorOf({ ...answer, body: jsonIn(answer.body) }, now, of)!;
}
