import { expect, it } from 'vitest';
import { pinterest } from '../../../src/platforms/pinterest/index.ts';
import { ok, type Script, scripted } from '../../harness/platforms/script.ts';

const pinterestOf = (script: Script) =>
  scripted(script, {
    hosts: pinterest.hosts.real,
    session: { access_token: 'access-1' },
    nameOf: ({ url }) => new URL(url).pathname,
  });

it('boards are listed to the end, and a list without an end is left', async () => {
  const page = (id: string, bookmark: string | null) => ok({ items: [{ id, name: id, privacy: 'PUBLIC' }], bookmark });
  const two = pinterestOf({ '/v5/boards': [page('1', 'next'), page('2', null)] });
  expect((await pinterest.posts!.boards!(two.acting)).map(({ board_id }) => board_id)).toEqual(['1', '2']);
  const endless = pinterestOf({ '/v5/boards': ok({ items: [], bookmark: 'next' }) });
  expect(await pinterest.posts!.boards!(endless.acting)).toEqual([]);
  expect(endless.calls.length).toBeLessThan(10);
});
