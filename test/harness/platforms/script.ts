import { buffer } from 'node:stream/consumers';
import { OutboundError } from '#kernel/net/outbound.ts';
import type { Hosts, PlatformAnswer, PlatformRequest, Session } from '#platforms/call.ts';
import type { PrepareCall } from '#platforms/sending.ts';
import { bareCall } from '../opened.ts';

export const NOW = Date.UTC(2026, 10, 21, 12);

/** An answer of a platform; anything but bytes and text is sent as JSON. */
export const answer = (status: number, body: unknown = {}, headers: Record<string, string> = {}): PlatformAnswer => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: body instanceof Uint8Array ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
});
export const ok = (body: unknown) => answer(200, body);
/** No answer came; whether the request was sent is known. */
export const lost = (sent = true) => new OutboundError(sent ? 'timeout' : 'connect', 'platform.test', { sent });

/** What an error is like that refuses for good, for a reason. */
export const refused = (reason: string) => ({ kind: 'refused', reason });

export type Asked = Readonly<{
  /** The name of the call in the script. */
  call: string;
  params: URLSearchParams;
  query: Record<string, string>;
  form: Record<string, string>;
  // oxlint-disable-next-line typescript/no-explicit-any -- bodies are read by tests that know their shape
  body: any;
  /** The token that was sent as `Authorization: Bearer`. */
  bearer: string | undefined;
  request: PlatformRequest;
}>;

type Reply = PlatformAnswer | Error | ((asked: Asked) => unknown);
/** Answers by the name of a call; of a list each is used once, and the last one again and again. */
export type Script = Readonly<Record<string, Reply | readonly Reply[]>>;

export type Scripting = Readonly<{
  hosts: Hosts;
  session?: Session;
  /** The name under which the script has the answer to a request; `names` are all that it has. */
  nameOf(request: PlatformRequest, names: readonly string[]): string;
  /** What a call meets that is not in the script; an error by default. */
  missing?(call: string): PlatformAnswer;
  clock?: { now: number };
}>;

/** A platform that answers as scripted, and notes what was asked. Functions may return JSON instead of an answer. */
export function scripted(script: Script, scripting: Scripting) {
  const { hosts, session = {}, nameOf, missing = notScripted, clock = { now: NOW } } = scripting;
  const asked: Asked[] = [];
  const used = new Map<string, number>();
  const bare = {
    hosts,
    settings: {},
    now: () => clock.now,
    async http(request: PlatformRequest): Promise<PlatformAnswer> {
      const call = nameOf(request, Object.keys(script));
      const params = new URL(request.url).searchParams;
      const query = Object.fromEntries(params);
      const form = formOf(await unstreamed(request));
      const bearer = /^Bearer (.*)$/.exec(request.headers?.['authorization'] ?? '')?.[1];
      const one = { call, params, query, form, body: jsonOf(request), bearer, request };
      asked.push(one);
      const replies = script[call];
      if (replies === undefined) return missing(call);
      const all = Array.isArray(replies) ? (replies as readonly Reply[]) : [replies as Reply];
      const turn = used.get(call) ?? 0;
      used.set(call, turn + 1);
      const reply = all[Math.min(turn, all.length - 1)]!;
      if (reply instanceof Error) throw reply;
      const made = typeof reply === 'function' ? await reply(one) : reply;
      return isAnswer(made) ? made : ok(made);
    },
  };
  const open = () => Promise.reject(new Error('nothing to open'));
  const acting: PrepareCall = { ...bare, ...bareCall, session, open };
  return { asked, bare, acting, clock, calls: () => asked.map(({ call }) => call) };
}

function notScripted(call: string): never {
  throw new Error(`not scripted: ${call}`);
}

const isAnswer = (made: unknown): made is PlatformAnswer =>
  (made as PlatformAnswer | undefined)?.body instanceof Uint8Array;

function jsonOf({ headers = {}, body }: PlatformRequest): unknown {
  return typeof body === 'string' && headers['content-type']?.includes('json') ? JSON.parse(body) : undefined;
}

/** A request whose streamed body is read. */
async function unstreamed(request: PlatformRequest): Promise<PlatformRequest> {
  const { body } = request;
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array) return request;
  return { ...request, body: await buffer(body.open()) };
}

/** The fields of a form, whichever way it was sent; a file is shown by its name, type and length. */
function formOf({ headers = {}, body }: PlatformRequest): Record<string, string> {
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
