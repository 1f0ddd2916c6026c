import { createServer } from 'node:http';
import type { SandboxOptions } from '../../../../src/sandbox/network.ts';
import { end, listen } from './app.ts';
import { openWorld, type Reply, type World } from './bluesky.ts';
import { controlOf, type Control } from './twin.ts';

export const OLIVIA = 'olivia.sandbox.test';
export const SAM = 'sam.sandbox.test';
export const NORA = 'nora.sandbox.test';
export const FRED = 'fred.sandbox.test';
export const REDIRECT = 'http://localhost:9/connect/youtube/callback';
export const SCOPE = ['youtube', 'youtube.force-ssl', 'youtube.upload', 'youtube.readonly', 'yt-analytics.readonly']
  .map((name) => `https://www.googleapis.com/auth/${name}`)
  .join(' ');
export const UNIT = 256 * 1024;

type Fields = Readonly<Record<string, unknown>>;
type Query = Readonly<Record<string, string>>;
type Got = Readonly<{ headers: Readonly<Record<string, string | string[] | undefined>>; body: string }>;

/** A program that the hub calls: it proves itself, and keeps what it is told. */
export async function openCallback() {
  const got: Got[] = [];
  const asked: URLSearchParams[] = [];
  let isProving = true;
  const server = createServer((req, res) => {
    const query = new URL(req.url!, 'http://x').searchParams;
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      if (req.method === 'GET') asked.push(query);
      else got.push({ headers: req.headers, body: Buffer.concat(chunks).toString() });
      res.statusCode = isProving ? 200 : 404;
      res.end(isProving ? query.get('hub.challenge') : '');
    });
  });
  const url = await listen(server);
  return {
    url: `${url}/hub?account=1`,
    got,
    asked,
    refuse: () => void (isProving = false),
    close: () => end(server),
  };
}

export type YoutubeWorld = Pick<World, 'sandbox' | 'clock' | 'root' | 'ask' | 'close'> &
  Control &
  Readonly<{
    at: string;
    get(path: string, token: string, query?: Query): Promise<Reply>;
    post(path: string, token: string, body: Fields, query?: Query): Promise<Reply>;
    put(path: string, token: string, body: Fields, query?: Query): Promise<Reply>;
    del(path: string, token: string, query: Query): Promise<Reply>;
    dialog(query?: Query): string;
    pair(person?: string, more?: Fields): Promise<any>;
    login(person?: string, more?: Fields): Promise<string>;
    /** Begins an upload; answers the address of its session. */
    begin(token: string, body?: Fields, total?: number): Promise<Reply>;
    /** Sends a part of an upload, or asks what is there. */
    part(session: string, range: string, bytes?: Uint8Array): Promise<Reply>;
    /** Uploads a whole video; answers it. */
    upload(token: string, bytes: Uint8Array, snippet?: Fields, status?: Fields): Promise<any>;
  }>;

/** The twin of YouTube. */
export async function openYoutubeWorld(options: Partial<SandboxOptions> = {}): Promise<YoutubeWorld> {
  const world = await openWorld(options, 'youtube');
  const at = `${world.root}/sandbox/youtube`;
  const call = async (verb: string, path: string, token: string, query: Query = {}, body?: Fields) => {
    const json = body === undefined ? {} : { body: JSON.stringify(body) };
    const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
    const reply = await world.ask(`${at}/googleapis${path}?${new URLSearchParams(query).toString()}`, {
      method: verb,
      headers: { authorization: `Bearer ${token}`, ...type },
      ...json,
    });
    await world.sandbox.settle();
    return reply;
  };
  const { act, list } = controlOf(world, 'youtube');
  const dialog: YoutubeWorld['dialog'] = (query = {}) => {
    const asked = { client_id: 'sandbox', redirect_uri: REDIRECT, response_type: 'code', scope: SCOPE, state: 's1' };
    const more = { access_type: 'offline', prompt: 'consent', ...query };
    return `${at}/accounts/o/oauth2/v2/auth?${new URLSearchParams({ ...asked, ...more }).toString()}`;
  };
  const pair: YoutubeWorld['pair'] = async (person = OLIVIA, more = {}) => {
    const { location } = await act('consent', { url: dialog(), person, ...more });
    const body = new URLSearchParams({
      client_id: 'sandbox',
      client_secret: 'sandbox',
      grant_type: 'authorization_code',
      redirect_uri: REDIRECT,
      code: new URL(location).searchParams.get('code') ?? '',
    });
    return (await world.ask(`${at}/oauth2/token`, { method: 'POST', body })).json;
  };
  const begin: YoutubeWorld['begin'] = (token, body = { snippet: { title: 'A video' } }, total) =>
    world.ask(`${at}/googleapis/upload/youtube/v3/videos?uploadType=resumable&part=snippet,status`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json; charset=UTF-8',
        'x-upload-content-type': 'video/mp4',
        ...(total !== undefined && { 'x-upload-content-length': String(total) }),
      },
      body: JSON.stringify(body),
    });
  const part: YoutubeWorld['part'] = async (session, range, bytes = new Uint8Array()) => {
    const body = bytes.length === 0 ? {} : { body: new Uint8Array(bytes) };
    const reply = await world.ask(session, { method: 'PUT', headers: { 'content-range': range }, ...body });
    await world.sandbox.settle();
    return reply;
  };

  return {
    ...world,
    at,
    get: (path, token, query) => call('GET', path, token, query),
    post: (path, token, body, query) => call('POST', path, token, query, body),
    put: (path, token, body, query) => call('PUT', path, token, query, body),
    del: (path, token, query) => call('DELETE', path, token, query),
    act,
    list,
    dialog,
    pair,
    login: async (person, more) => (await pair(person, more)).access_token,
    begin,
    part,
    async upload(token, bytes, snippet = {}, status = {}) {
      const body = { snippet: { title: 'A video', ...snippet }, status };
      const { headers } = await begin(token, body, bytes.length);
      const made = await part(headers.get('location')!, `bytes 0-${bytes.length - 1}/${bytes.length}`, bytes);
      if (made.status !== 200) throw new Error(made.text);
      return made.json;
    },
  };
}
