import { OutboundError } from '../../../src/kernel/net/outbound.ts';
import { facebook } from '../../../src/platforms/facebook/index.ts';
import type { AccountCall, PlatformAnswer, PlatformRequest, UnauthenticatedCall } from '../../../src/platforms/call.ts';
import type { OpenedMedia } from '../../../src/platforms/media.ts';
import type { Done, OutgoingPost, PublishCall } from '../../../src/platforms/posts.ts';

export const NOW = Date.UTC(2026, 10, 21, 12);
export const PAGE = '101';
export const SESSION = {
  user_token: 'USER',
  user_id: '7',
  app_id: '42',
  pages: { '101': 'PAGE-101', '202': 'PAGE-202' },
};

export const answer = (status: number, body: unknown = {}, headers: Record<string, string> = {}): PlatformAnswer => ({
  status,
  headers,
  body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
});
export const ok = (body: unknown) => answer(200, body);
export const refusal = (code: number, subcode?: number, more: Record<string, unknown> = {}, status = 400) =>
  answer(status, {
    error: { message: `(#${code}) no`, type: 'OAuthException', code, error_subcode: subcode, ...more },
  });
export const lost = (sent = true) => new OutboundError(sent ? 'timeout' : 'connect', 'graph.facebook.com', { sent });

type Reply = PlatformAnswer | Error | ((request: PlatformRequest) => PlatformAnswer);
/** Answers by `METHOD host /path`; of a list each is used once, and the last one again and again. */
export type Script = Readonly<Record<string, Reply | readonly Reply[]>>;

export type Asked = Readonly<{
  call: string;
  query: Record<string, string>;
  form: Record<string, string>;
  request: PlatformRequest;
}>;

/** A Graph that answers as scripted, and notes what was asked. */
export function graphOf(script: Script, clock = { now: NOW }) {
  const asked: Asked[] = [];
  const used = new Map<string, number>();
  const bare: UnauthenticatedCall = {
    hosts: facebook.hosts.real,
    now: () => clock.now,
    async http(request) {
      const url = new URL(request.url);
      const host = url.host === 'graph.facebook.com' ? '' : `${url.host.split('.')[0]} `;
      const call = `${request.method} ${host}${url.pathname.replace('/v25.0', '')}`;
      asked.push({ call, query: Object.fromEntries(url.searchParams), form: formOf(request), request });
      const replies = script[call];
      if (replies === undefined) throw new Error(`not scripted: ${call}`);
      const all = Array.isArray(replies) ? (replies as readonly Reply[]) : [replies as Reply];
      const turn = used.get(call) ?? 0;
      used.set(call, turn + 1);
      const reply = all[Math.min(turn, all.length - 1)]!;
      if (reply instanceof Error) throw reply;
      return typeof reply === 'function' ? reply(request) : reply;
    },
  };
  const acting: AccountCall = { ...bare, session: SESSION };
  return { asked, bare, acting, calls: () => asked.map(({ call }) => call) };
}

/** The fields of a form, whichever way it was sent; a file is shown by its name, type and length. */
export function formOf({ headers = {}, body }: PlatformRequest): Record<string, string> {
  const type = headers['content-type'] ?? '';
  if (type.startsWith('application/x-www-form-urlencoded'))
    return Object.fromEntries(new URLSearchParams(body as string));
  const boundary = /^multipart\/form-data; boundary=(\S+)$/.exec(type)?.[1];
  if (boundary === undefined) return {};
  const parts = Buffer.from(body as Uint8Array)
    .toString('latin1')
    .split(`--${boundary}`);
  if (parts[0] !== '' || parts.at(-1) !== '--\r\n') throw new Error('badly framed');
  return Object.fromEntries(
    parts.slice(1, -1).map((part) => {
      const [head, ...rest] = part.slice(2, -2).split('\r\n\r\n');
      const content = rest.join('\r\n\r\n');
      const [, name, filename] = /name="([^"]*)"(?:; filename="([^"]*)")?/.exec(head!)!;
      const kind = /Content-Type: (\S+)/.exec(head!)?.[1];
      return [name!, filename === undefined ? content : `${filename} ${kind} ${content.length}`];
    }),
  );
}

/** A post of the page with nothing but what is said. */
export function postOf(post: Partial<OutgoingPost>): OutgoingPost {
  return { text: '', media: [], segments: [], visibility: 'public', options: {}, page_id: PAGE, ...post };
}

export const IMAGE: OpenedMedia = { bytes: Buffer.from('image'), content_type: 'image/png' };
export const VIDEO: OpenedMedia = { bytes: Buffer.from('0123456789'), content_type: 'video/mp4' };

/** A step's call, with the results so far passed through JSON as the engine does. */
export function publishing(acting: AccountCall, post: OutgoingPost, done: Done = {}): PublishCall {
  return {
    ...acting,
    post,
    done: JSON.parse(JSON.stringify(done)) as Done,
    open: async (ref) => (ref.startsWith('video') ? VIDEO : IMAGE),
  };
}

const { publish } = facebook.posts!;

/** Runs the steps of a post from where it stands; stops with what a step throws. */
export async function goOn(acting: AccountCall, post: OutgoingPost, before: Done = {}): Promise<Done> {
  const done: Record<string, unknown> = { ...before };
  for (const { name } of publish.steps(post)) {
    if (Object.hasOwn(done, name)) continue;
    const result: unknown = await publish.run(publishing(acting, post, done), name);
    done[name] = JSON.parse(JSON.stringify(result ?? null)) as unknown;
  }
  return done;
}
