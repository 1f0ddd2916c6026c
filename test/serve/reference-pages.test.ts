import { execFileSync } from 'node:child_process';
import { describe, expect } from 'vitest';
import { ERRORS, PLATFORM_REASONS } from '#kernel/errors.ts';
import { ACTION_EVENTS, EVENTS } from '#kernel/events.ts';
import { PLATFORMS } from '#kernel/platforms.ts';
import { SCOPES } from '#kernel/scopes.ts';
import examples from '#serve/openapi/examples.json' with { type: 'json' };
import type { Examples } from '#serve/openapi/index.ts';
import { requestOf, TOOLS } from '../harness/calls/operations.ts';
import { it, type World } from '../harness/world.ts';

const NAMES = ['', '/errors', '/events', '/scopes', ...TOOLS.map(({ name }) => `/${name}`)];

async function pageOf({ root }: World, name: string): Promise<string> {
  const answer = await fetch(`${root}/reference${name}`);
  expect([name, answer.status]).toEqual([name, 200]);
  return answer.text();
}

const plain = (markup: string): string =>
  markup
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');

const commandIn = (page: string): string => plain(/<pre><code>(curl [\s\S]*?)<\/code>/.exec(page)![1]!);

/** What a shell hands to curl, by command. */
function readByShell(commands: readonly string[]): readonly (readonly string[])[] {
  const script = [`curl() { printf '%s\\0' "$@"; printf '\\001'; }`, ...commands].join('\n');
  const env = { ROSTRA_KEY: 'the-key', ROSTRA_TOKEN: 'the-token' };
  const read = execFileSync('sh', ['-c', script], { env, encoding: 'utf8' });
  return read.split('\u0001').map((words) => words.split('\0').slice(0, -1));
}

const after = (words: readonly string[], flag: string): readonly string[] =>
  words.flatMap((word, at) => (word === flag ? [words[at + 1]!] : []));

describe('the reference', () => {
  it('has a page of each operation, and links that lead to what is there', async ({ world }) => {
    const pages = new Map<string, string>();
    for (const name of NAMES) pages.set(`/reference${name}`, await pageOf(world, name));
    const dead = [...pages].flatMap(([path, page]) =>
      [...page.matchAll(/href="([^"]*)"/g)].flatMap(([, href = '']) => {
        const [target, anchor] = href.replaceAll('&lt;', '<').replaceAll('&gt;', '>').split('#') as [string, string?];
        if (target !== '' && !target.startsWith('/reference')) return [];
        const found = pages.get(target === '' ? path : target);
        const isThere = found !== undefined && (anchor === undefined || found.includes(`id="${anchor}"`));
        return isThere ? [] : [`${path} links to ${href}`];
      }),
    );
    expect(dead).toEqual([]);
    for (const { name, summary } of TOOLS)
      expect(plain(pages.get(`/reference/${name}`)!)).toContain(summary.replaceAll('`', ''));
  });

  it('explains every code, event and scope in a place of its own', async ({ world }) => {
    const errors = await pageOf(world, '/errors');
    const reasons = Object.keys(PLATFORM_REASONS);
    const codes = PLATFORMS.flatMap((slug) => reasons.map((reason) => `platform.${slug}.${reason}`));
    for (const code of [...Object.keys(ERRORS), ...codes]) expect(errors).toContain(`id="${code}"`);
    const events = await pageOf(world, '/events');
    for (const name of Object.keys({ ...EVENTS, ...ACTION_EVENTS })) expect(events).toContain(`id="${name}"`);
    const scopes = await pageOf(world, '/scopes');
    for (const scope of Object.keys(SCOPES)) expect(scopes).toContain(`id="${scope}"`);
  });

  it('has of each operation a command that a shell reads as the request of its example', async ({ world }) => {
    const pages = await Promise.all(TOOLS.map(({ name }) => pageOf(world, `/${name}`)));
    const commands = readByShell(pages.map(commandIn));
    for (const [at, tool] of TOOLS.entries()) {
      const words = commands[at]!;
      const { input = {} } = (examples as Examples)[tool.name] ?? {};
      const { route, body } = requestOf(tool, input);
      const [method, path] = route.split(' ') as [string, string];
      const url = new URL(words.find((word) => word.startsWith(world.root))!);
      expect([tool.name, decodeURIComponent(url.href)]).toEqual([tool.name, decodeURIComponent(world.root + path)]);
      const [written] = after(words, '-X');
      const sends = words.includes('-d') || words.includes('-F');
      expect([tool.name, written ?? (sends ? 'POST' : 'GET')]).toEqual([tool.name, method]);
      const [sent] = after(words, '-d');
      if (sent !== undefined) expect([tool.name, JSON.parse(sent)]).toEqual([tool.name, body]);
      expect(after(words, '-H')[0]).toMatch(/^Authorization: Bearer the-(?:key|token)$/);
    }
  });

  it('does not explain a field by its name alone', async ({ world }) => {
    expect(plain(await pageOf(world, '/create_post'))).not.toMatch(/\b(?:Text|Title|Media)\. /);
  });

  it('finds by any word of an operation, code, event or scope', async ({ world }) => {
    const found = async (query: string) => plain(await pageOf(world, `?q=${encodeURIComponent(query)}`));
    expect(await found('publish retry')).toContain('retry_post');
    expect(await found('POST /posts')).toContain('create_post');
    expect(await found('past_due')).toContain('billing.past_due');
    expect(await found('dm.received')).toContain('A new direct message arrives');
    expect(await found('<script>alert(1)</script>')).toContain('0 results for “<script>alert(1)</script>”');
    expect(await pageOf(world, '?q=%3Cscript%3E')).not.toContain('<script>');
    expect((await found('a'.repeat(5000))).length).toBeLessThan(3000);
  });

  it('is open to everybody, says nothing of the installation, and runs nothing', async ({ world }) => {
    const answer = await fetch(`${world.root}/reference/create_post`);
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(answer.headers.get('content-security-policy')).not.toContain('script-src');
    expect(answer.headers.get('cache-control')).toBe('public, max-age=300');
    expect(answer.headers.get('set-cookie')).toBe(null);
    for (const name of ['none', 'constructor', 'Create_Post', 'a'.repeat(65)])
      expect([name, (await fetch(`${world.root}/reference/${name}`)).status]).toEqual([name, 404]);
  });

  it('is where refusals say that they are explained', async ({ world }) => {
    const linkOf = async (path: string) => (await fetch(world.root + path)).headers.get('link');
    expect(await linkOf('/v1/brands')).toBe(`<${world.root}/reference/errors#auth.missing_header>; rel="help"`);
    expect(await linkOf('/v1/none')).toBe(`<${world.root}/reference/errors#http.404>; rel="help"`);
  });

  it('is where refusals of operations say that they are explained', async ({ world, account }) => {
    const linkOf = async (...call: Parameters<typeof world.rest>) => (await world.rest(...call)).headers.get('link');
    const help = (code: string) => `<${world.root}/reference/errors#${code}>; rel="help"`;
    expect(await linkOf('GET /v1/posts/none')).toBe(help('post.not_found'));
    expect(await linkOf('GET /v1/posts')).toBeNull();
    const keyed = { headers: { 'Idempotency-Key': 'one' } };
    expect(await linkOf('POST /v1/brands', {}, keyed)).toBe(help('validation.field_required'));
    expect(await linkOf('POST /v1/brands', {}, keyed)).toBe(help('validation.field_required'));
    const long = { text: 'x'.repeat(301), account_ids: [account.id], publish_now: true, skip_validation: true };
    expect(await linkOf('POST /v1/posts', long)).toBe(help('post.publish_failed'));
  });
});
