import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listen, stop } from '../../harness/sockets.ts';

const VERIFIER = 'v'.repeat(64);
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

/** A program that people connect to a server, with a site of its own; `heard` sees each request, and may redirect it. */
export async function startClient(root: string, heard: (req: IncomingMessage, res: ServerResponse) => void) {
  const site = createServer((req, res) => {
    res.setHeader('Content-Type', 'text/html');
    heard(req, res);
    res.end('<!doctype html><link rel="icon" href="data:,"><title>The app</title><h1>Back at the app</h1>');
  });
  const port = await listen(site);
  async function token(form: Record<string, string>) {
    const answer = await fetch(`${root}/oauth/token`, { method: 'POST', body: new URLSearchParams(form) });
    return { status: answer.status, body: (await answer.json()) as Record<string, string> };
  }
  return {
    at: (host: string, path: string) => `http://${host}:${port}${path}`,
    close: () => stop(site),
    /** Registers itself; answers its id. */
    async register(redirect_uri: string): Promise<string> {
      const body = JSON.stringify({ client_name: 'Assistant', redirect_uris: [redirect_uri] });
      const headers = { 'Content-Type': 'application/json' };
      const answer = await fetch(`${root}/oauth/register`, { method: 'POST', headers, body });
      return ((await answer.json()) as { client_id: string }).client_id;
    },
    /** The page on which a person is asked. */
    authorizeUrl(client_id: string, redirect_uri: string, state: string): string {
      const query = { client_id, redirect_uri, code_challenge: CHALLENGE, code_challenge_method: 'S256', state };
      return `${root}/oauth/authorize?${new URLSearchParams(query).toString()}`;
    },
    exchange: (client_id: string, code: string) =>
      token({ grant_type: 'authorization_code', client_id, code, code_verifier: VERIFIER }),
    refresh: (client_id: string, refresh_token: string) =>
      token({ grant_type: 'refresh_token', client_id, refresh_token }),
  };
}
