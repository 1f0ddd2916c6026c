import { createServer } from 'node:http';
import type { SandboxOptions } from '#sandbox/network.ts';
import { listen, stop } from '../../sockets.ts';
import { addressOf, bearer, jsonRequest } from './app.ts';
import { openWorld } from './bluesky.ts';
import { controlOf } from './twin.ts';

export const OLIVIA = 'olivia.sandbox.test';
export const SAM = 'sam.sandbox.test';
export const NORA = 'nora.sandbox.test';
export const FRED = 'fred.sandbox.test';
const REDIRECT = 'http://localhost:9/connect/youtube/callback';
const SCOPE = ['youtube', 'youtube.force-ssl', 'youtube.upload', 'youtube.readonly']
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
  return {
    url: `http://127.0.0.1:${await listen(server)}/hub?account=1`,
    got,
    asked,
    refuse: () => void (isProving = false),
    close: () => stop(server),
  };
}

export type YoutubeWorld = Awaited<ReturnType<typeof openYoutubeWorld>>;

/** The simulator of YouTube. */
export async function openYoutubeWorld(options: Partial<SandboxOptions> = {}) {
  const { sandbox, clock, root, ask, close } = await openWorld(options, 'youtube');
  const at = `${root}/sandbox/youtube`;
  const call = async (verb: string, path: string, token: string, query: Query = {}, body?: Fields) => {
    const reply = await ask(addressOf(`${at}/googleapis${path}`, query), jsonRequest(verb, body, bearer(token)));
    await sandbox.settle();
    return reply;
  };
  const { act, list, consent } = controlOf({ ask, sandbox }, 'youtube');
  const dialog = (query: Query = {}) => {
    const asked = { client_id: 'sandbox', redirect_uri: REDIRECT, response_type: 'code', scope: SCOPE, state: 's1' };
    const more = { access_type: 'offline', prompt: 'consent', ...query };
    return addressOf(`${at}/accounts/o/oauth2/v2/auth`, { ...asked, ...more });
  };
  const pair = async (person = OLIVIA, more: Fields = {}) => {
    const body = new URLSearchParams({
      client_id: 'sandbox',
      client_secret: 'sandbox',
      grant_type: 'authorization_code',
      redirect_uri: REDIRECT,
      code: await consent(dialog(), person, more),
    });
    return (await ask(`${at}/oauth2/token`, { method: 'POST', body })).json;
  };
  /** Begins an upload; answers the address of its session. */
  const begin = (token: string, body: Fields = { snippet: { title: 'A video' } }, total?: number) =>
    ask(`${at}/googleapis/upload/youtube/v3/videos?uploadType=resumable&part=snippet,status`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json; charset=UTF-8',
        'x-upload-content-type': 'video/mp4',
        ...(total !== undefined && { 'x-upload-content-length': String(total) }),
      },
      body: JSON.stringify(body),
    });
  /** Sends a part of an upload, or asks what is there. */
  const part = async (session: string, range: string, bytes: Uint8Array = new Uint8Array()) => {
    const body = bytes.length === 0 ? {} : { body: new Uint8Array(bytes) };
    const reply = await ask(session, { method: 'PUT', headers: { 'content-range': range }, ...body });
    await sandbox.settle();
    return reply;
  };

  return {
    sandbox,
    clock,
    root,
    ask,
    close,
    at,
    get: (path: string, token: string, query?: Query) => call('GET', path, token, query),
    post: (path: string, token: string, body: Fields, query?: Query) => call('POST', path, token, query, body),
    put: (path: string, token: string, body: Fields, query?: Query) => call('PUT', path, token, query, body),
    del: (path: string, token: string, query: Query) => call('DELETE', path, token, query),
    act,
    list,
    dialog,
    pair,
    login: async (person?: string, more?: Fields): Promise<string> => (await pair(person, more)).access_token,
    begin,
    part,
    /** Uploads a whole video; answers it. */
    async upload(token: string, bytes: Uint8Array, snippet: Fields = {}, status: Fields = {}) {
      const body = { snippet: { title: 'A video', ...snippet }, status };
      const { headers } = await begin(token, body, bytes.length);
      const made = await part(headers.get('location')!, `bytes 0-${bytes.length - 1}/${bytes.length}`, bytes);
      if (made.status !== 200) throw new Error(made.text);
      return made.json;
    },
  };
}
