import { createServer } from 'node:http';
import { expect } from 'vitest';
import { openSandbox, type SandboxOptions } from '#sandbox/network.ts';
import { listen, stop } from '../../sockets.ts';
import { bearer, jsonRequest } from './app.ts';

export const ALICE = 'alice.sandbox.test';
export const BOB = 'bob.sandbox.test';
export const CAROL = 'carol.sandbox.test';

/** A clock moved by hand; `nextWait` answers for how long when somebody starts to wait on it. */
export function handClock(start = Date.UTC(2026, 10, 21, 12)) {
  let now = start;
  let timers: { due: number; fn: () => void }[] = [];
  let told: ((ms: number) => void)[] = [];
  return {
    now: () => now,
    after(ms: number, fn: () => void) {
      const timer = { due: now + ms, fn };
      timers.push(timer);
      for (const tell of told) tell(ms);
      told = [];
      return () => {
        timers = timers.filter((one) => one !== timer);
      };
    },
    move(ms: number) {
      now += ms;
      const due = timers.filter((one) => one.due <= now);
      timers = timers.filter((one) => one.due > now);
      for (const { fn } of due) fn();
    },
    nextWait: () => new Promise<number>((resolve) => told.push(resolve)),
  };
}

export type Reply = { status: number; headers: Headers; json: any; text: string };
export type Query = Record<string, string> | [string, string][];
export type World = Awaited<ReturnType<typeof openWorld>>;
type Call = Readonly<{
  token?: string;
  params?: Query;
  input?: unknown;
  headers?: Record<string, string>;
}>;

/** A whole sandbox behind a real socket, with the simulator of one network open. */
export async function openWorld(options: Partial<SandboxOptions> = {}, network = 'bluesky') {
  const clock = handClock();
  const server = createServer();
  let root = '';
  const sandbox = openSandbox({ file: ':memory:', clock, rootUrl: () => root, control: true, ...options });
  await sandbox.open(network);
  const answer = sandbox.app.callback();
  server.on('request', (req, res) => void answer(req, res));
  root = `http://127.0.0.1:${await listen(server)}`;
  const base = `${root}/sandbox/bluesky`;

  async function ask(path: string, init?: RequestInit): Promise<Reply> {
    const response = await fetch(path.startsWith('http') ? path : `${root}${path}`, { redirect: 'manual', ...init });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true && text !== '';
    return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined };
  }

  /** A query when `input` is absent, else a procedure with a JSON body. */
  function xrpc(nsid: string, { token, params, input, headers }: Call = {}) {
    const url = `${base}/xrpc/${nsid}${params ? `?${new URLSearchParams(params).toString()}` : ''}`;
    return ask(url, jsonRequest(input === undefined ? 'GET' : 'POST', input, { ...bearer(token), ...headers }));
  }

  return {
    sandbox,
    clock,
    root,
    base,
    ask,
    xrpc,
    /** Writes to the repository of whoever is signed in. */
    write: (session: any, method: 'createRecord' | 'putRecord' | 'deleteRecord' | 'applyWrites', input: object) =>
      xrpc(`com.atproto.repo.${method}`, { token: session.accessJwt, input: { repo: session.did, ...input } }),
    /** An action of the bluesky simulator through the control API. */
    act: (action: string, input: Record<string, unknown>) =>
      ask('/sandbox/__control/act', jsonRequest('POST', { network: 'bluesky', action, ...input })),
    /** A POST without a body. */
    bare: (nsid: string, token?: string) => ask(`${base}/xrpc/${nsid}`, { method: 'POST', headers: bearer(token) }),
    upload: (token: string, bytes: Uint8Array, mime: string) =>
      ask(`${base}/xrpc/com.atproto.repo.uploadBlob`, {
        method: 'POST',
        headers: { ...bearer(token), 'content-type': mime },
        body: bytes as NonNullable<RequestInit['body']>,
      }),
    async login(handle: string, kind: 'app_password' | 'app_password_without_messages' = 'app_password') {
      const password = sandbox.people().find((person) => person.handle === handle)?.credentials[kind];
      const reply = await xrpc('com.atproto.server.createSession', { input: { identifier: handle, password } });
      if (reply.status !== 200) throw new Error(reply.text);
      return reply.json;
    },
    async close() {
      sandbox.close();
      await stop(server);
    },
  };
}

/** A refusal of the protocol as tests expect it. */
export const refused = (status: number, error: string, message?: string | RegExp) => ({
  status,
  json: {
    error,
    message: message instanceof RegExp ? expect.stringMatching(message) : (message ?? expect.any(String)),
  },
});
export const invalid = (message?: string | RegExp) => refused(400, 'InvalidRequest', message);

/** Sends the form of a page as the browser that was shown it. */
export function formOf({ ask, root }: Pick<World, 'ask' | 'root'>, shown: Reply, path: string) {
  const cookie = shown.headers.get('set-cookie')!.split(';')[0]!;
  const form_token = /name="form_token" value="([^"]+)"/.exec(shown.text)![1]!;
  return (fields: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>> = {}) =>
    ask(path, {
      method: 'POST',
      headers: { cookie, origin: root, ...headers },
      body: new URLSearchParams({ form_token, ...fields }),
    });
}

/** Asks what is held back for a time; `meanwhile` runs before that has passed. */
export async function whileHeld(
  clock: ReturnType<typeof handClock>,
  ms: number,
  ask: () => Promise<Reply>,
  meanwhile: () => unknown,
) {
  const waiting = clock.nextWait();
  const reply = ask();
  expect(await waiting).toBe(ms);
  await meanwhile();
  clock.move(ms);
  return reply;
}

/** The smallest PNG there is, and others that differ by a trailing number. */
export function png(variant = 0): Uint8Array {
  const one = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  return Buffer.concat([Buffer.from(one, 'base64'), Buffer.from(String(variant))]);
}
