import { describe, expect, it } from 'vitest';
import { readConfig } from '#kernel/config/config.ts';
import { makeWorld } from '../harness/world.ts';

const GOOGLE = 'google-site-verification: google0123456789abcdef.html';
const SITE_VERIFICATION = [
  'tiktokAbC123.txt=tiktok-developers-site-verification=AbC123',
  `google0123456789abcdef.html=${GOOGLE}`,
  'zalo_verifierKj-OAjd.html=<meta name="zalo" content="a,b=c" />',
].join(', ');

describe('SITE_VERIFICATION', () => {
  it('is served at the root of the site, file by file', async () => {
    const world = await makeWorld({ env: { SITE_VERIFICATION } });
    const get = async (path: string) => {
      const answer = await fetch(`${world.root}${path}`);
      return [answer.status, answer.headers.get('content-type'), await answer.text()];
    };
    expect(await get('/tiktokAbC123.txt')).toEqual([
      200,
      'text/plain; charset=utf-8',
      'tiktok-developers-site-verification=AbC123',
    ]);
    expect(await get('/google0123456789abcdef.html')).toEqual([200, 'text/html; charset=utf-8', GOOGLE]);
    const [status, , content] = await get('/zalo_verifierKj-OAjd.html');
    expect([status, content]).toEqual([200, '<meta name="zalo" content="a,b=c" />']);
    expect((await get('/tiktokOther99.txt'))[0]).toBe(404);
    const { headers } = await fetch(`${world.root}/google0123456789abcdef.html`);
    expect(headers.get('content-security-policy')).toContain('sandbox');
  });

  it.each([
    ['robots.txt=all', 'must be name=content'],
    ['../secret1.txt=x', 'must be name=content'],
    ['v1/accounts=x', 'must be name=content'],
    ['pinterest-abc12.html=', 'has no content for pinterest-abc12.html'],
  ])('stops the start for %s', (value, why) => {
    expect(() => readConfig([], { SITE_VERIFICATION: value })).toThrow(`SITE_VERIFICATION ${why}`);
  });
});
