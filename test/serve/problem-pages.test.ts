import { describe, expect } from 'vitest';
import { prefersPage } from '#serve/prefers-page.ts';
import { exchange } from '../harness/sockets.ts';
import { it, type World } from '../harness/world.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';

async function ask({ root }: World, path: string, headers: Record<string, string>, method = 'GET') {
  const { host, port } = new URL(root);
  return exchange({ port, method, path, headers: { Host: host, ...headers } });
}

describe('a refusal', () => {
  it.for([
    [BROWSER, true],
    ['text/html', true],
    ['TEXT/HTML;level=1; q=0.5', true],
    ['text/*', true],
    ['application/json;q=0.5, text/html;q=0.6', true],
    ['text/html, */*;q=0.9', true],
    [undefined, false],
    ['', false],
    ['*/*', false],
    ['application/json', false],
    ['text/html, */*', false],
    ['application/json, text/html', false],
    ['text/html;q=0.5, application/json', false],
    ['text/html;q=0, */*', false],
    ['text/html;q=2', false],
    ['text/html;q=x', false],
    ['text/plain', false],
    ['text/event-stream, application/json', false],
  ] as const)('accepted as %s is a page: %s', ([accept, isPage]) => {
    expect(prefersPage(accept)).toBe(isPage);
  });

  it.for([
    ['/nowhere', 404, 'There is no such page', 'http.404'],
    ['/sign-out/x', 404, 'There is no such page', 'http.404'],
    ['/oauth/token', 405, 'This address cannot be opened', 'http.405'],
    ['/files/none/report.html', 403, 'This link no longer works', 'auth.invalid_secret'],
    ['/media/none/a.png', 403, 'This link no longer works', 'auth.invalid_secret'],
    ['/oauth/authorize/none', 400, 'This request has expired', 'auth.oauth.request_expired'],
  ] as const)(
    'of %s is a page for a browser and an envelope for a program',
    async ([path, status, title, code], { world }) => {
      const page = await ask(world, path, { Accept: BROWSER, 'X-Request-ID': 'the-request' });
      expect(page.status).toBe(status);
      expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
      expect(page.text).toContain(`<h1>${title}</h1>`);
      expect(page.text).toContain(`Error <code>${code}</code>, request <code>the-request</code>`);
      expect(page.headers['content-security-policy']).toContain("default-src 'none'");
      for (const headers of [{}, { Accept: '*/*' }, { Accept: 'application/json' }] as Record<string, string>[]) {
        const answer = await ask(world, path, { ...headers, 'X-Request-ID': 'the-request' });
        expect(answer.status).toBe(status);
        const { error, request_id } = JSON.parse(answer.text);
        expect([error.code, request_id]).toEqual([code, 'the-request']);
        expect(Object.keys(JSON.parse(answer.text)).toSorted()).toEqual(['error', 'request_id']);
        expect(answer.headers.vary).toContain('Accept');
      }
      expect(page.headers.vary).toContain('Accept');
      const head = await ask(world, path, { Accept: BROWSER }, 'HEAD');
      expect([head.text, head.headers['content-type']]).toEqual(['', 'text/html; charset=utf-8']);
    },
  );

  it('below /v1 and /mcp is an envelope, whatever is accepted', async ({ world }) => {
    for (const path of ['/v1', '/v1/none', '/v1/brands', '/dashboard/v1/brands', '/dashboard/v1/none', '/mcp/x/none']) {
      const { headers, text } = await ask(world, path, { Accept: BROWSER });
      expect([path, headers['content-type']]).toEqual([path, expect.stringContaining('application/json')]);
      expect([path, JSON.parse(text)]).toEqual([path, expect.objectContaining({ error: expect.anything() })]);
    }
  });

  it('of another host name leads people to the address of the server', async ({ world }) => {
    const page = await ask(world, '/', { Host: 'other.example', Accept: BROWSER });
    expect(page.status).toBe(421);
    expect(page.text).toContain(`href="${world.root}/">Open ${world.root}</a>`);
    const program = await ask(world, '/', { Host: 'other.example' });
    expect(JSON.parse(program.text).error.code).toBe('http.421');
  });

  it('sent by a script or a form of a program is an envelope', async ({ world }) => {
    const sent = await ask(world, '/nowhere', { Accept: BROWSER }, 'POST');
    expect(sent.headers['content-type']).toContain('application/json');
    const opened = await ask(world, '/nowhere', { Accept: BROWSER, 'Sec-Fetch-Mode': 'navigate' }, 'POST');
    expect(opened.headers['content-type']).toContain('text/html');
  });
});
