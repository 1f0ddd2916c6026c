import { expect, it } from 'vitest';
import { linkedin } from '#platforms/linkedin/index.ts';
import { ok } from '../../harness/platforms/script.ts';
import { linkedinOf, MEMBER, ORGANIZATION, refusal } from './script.ts';

it.each([403, 404])('an organization that LinkedIn does not show (%d) is a page all the same', async (status) => {
  const roles = [ORGANIZATION, 'urn:li:organization:2'].map((organization) => ({
    organization,
    role: 'ADMINISTRATOR',
  }));
  const { acting } = linkedinOf({
    'GET /v2/userinfo': ok({ sub: 'm-1', name: 'Olivia' }),
    'GET organizationAcls': ok({ elements: roles }),
    'GET organizations/1': refusal(status),
    'GET organizations/2': ok({ localizedName: 'Bakery', vanityName: 'bakery' }),
  });
  const { pages } = await linkedin.pages!.read(acting);
  expect(pages.map(({ platform_page_id, name }) => [platform_page_id, name])).toEqual([
    [ORGANIZATION, '1'],
    ['urn:li:organization:2', 'Bakery'],
    [MEMBER, 'Olivia'],
  ]);
});
