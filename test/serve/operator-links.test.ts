import { describe, expect } from 'vitest';
import { readConfig } from '#kernel/config/config.ts';
import { it, makeWorld } from '../harness/world.ts';

const LINKS = {
  PRIVACY_URL: 'https://example.org/privacy/',
  TERMS_URL: 'https://example.org/terms',
  SUPPORT_URL: 'https://example.org/help?from=rostra',
};

describe('the pages of whoever runs the server', () => {
  it('reach the metadata, the server card and the footer of pages', async () => {
    const { root } = await makeWorld({ env: LINKS });
    const json = async (path: string) => (await fetch(root + path)).json() as Promise<Record<string, unknown>>;
    for (const path of ['', '/mcp']) {
      expect(await json(`/.well-known/oauth-protected-resource${path}`)).toMatchObject({
        resource_policy_uri: LINKS.PRIVACY_URL,
        resource_tos_uri: LINKS.TERMS_URL,
        resource_documentation: LINKS.SUPPORT_URL,
      });
    }
    expect(await json('/.well-known/oauth-authorization-server')).toMatchObject({
      op_policy_uri: LINKS.PRIVACY_URL,
      op_tos_uri: LINKS.TERMS_URL,
      service_documentation: LINKS.SUPPORT_URL,
    });
    expect((await json('/.well-known/mcp/server-card.json'))['_meta']).toMatchObject({
      'dev.rostra/links': { privacy: LINKS.PRIVACY_URL, terms: LINKS.TERMS_URL, support: LINKS.SUPPORT_URL },
    });
    for (const path of ['/', '/sign-in', '/nowhere']) {
      const page = await (await fetch(root + path, { headers: { Accept: 'text/html' } })).text();
      for (const link of Object.values(LINKS))
        expect([path, page]).toEqual([path, expect.stringContaining(`href="${link}"`)]);
    }
  });

  it('are nowhere unless they are set', async ({ world }) => {
    expect(await (await fetch(`${world.root}/`)).text()).not.toContain('<footer>');
    expect(await (await fetch(`${world.root}/.well-known/mcp/server-card.json`)).text()).not.toContain('links');
  });

  it.each(['privacy', 'javascript:alert(1)', 'https://user@example.org/'])('are web addresses, not %s', (value) => {
    expect(() => readConfig([], { PRIVACY_URL: value })).toThrow('PRIVACY_URL must be an http(s) URL');
  });
});
