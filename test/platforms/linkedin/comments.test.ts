import { describe, expect, it } from 'vitest';
import { linkedin } from '#platforms/linkedin/index.ts';
import { NOW, ok, type Script } from '../../harness/platforms/script.ts';
import { linkedinOf, ORGANIZATION, refusal } from './script.ts';

const POST = 'urn:li:share:7';
const person = (n: number) => `urn:li:person:p${n}`;
const comment = (n: number, actor: string) => ({
  commentUrn: `urn:li:comment:(urn:li:activity:1,${n})`,
  actor,
  message: { text: `Comment ${n}` },
  created: { time: NOW },
});

const isPerson = (call: string): boolean => call.startsWith('GET people/');

/** Lists comments by these people of a LinkedIn that answers each look-up of one of them so. */
async function list(actors: readonly string[], reply: Script[string]) {
  const names = actors.map((urn) => `GET people/(id:${urn.split(':').at(-1)})`);
  const { acting, calls } = linkedinOf({
    [`GET socialActions/${encodeURIComponent(POST)}/comments`]: ok({
      elements: actors.map((urn, n) => comment(n, urn)),
    }),
    'GET organizations/2': ok({ localizedName: 'Mill' }),
    ...Object.fromEntries(names.map((name) => [name, reply])),
  });
  const { items } = await linkedin.comments!.list!(acting, { post: POST, page: ORGANIZATION }, { limit: 100 });
  return { authors: items.map(({ author }) => author), asked: calls().filter(isPerson) };
}

describe('the authors of comments', () => {
  it('are read once each, a few at a time', async () => {
    let running = 0;
    let most = 0;
    const actors = [...Array(20)].map((_, n) => person(n % 12));
    const { authors, asked } = await list(actors, async () => {
      most = Math.max(most, (running += 1));
      await new Promise((done) => void setImmediate(done));
      running -= 1;
      return { localizedFirstName: 'Ann', localizedLastName: 'Baker', vanityName: 'ann' };
    });
    expect(authors[13]).toEqual({ id: person(1), name: 'Ann Baker', username: 'ann' });
    expect([asked.length, most]).toEqual([12, 5]);
  });

  it('are not asked for again once LinkedIn shows the app no members; organizations are', async () => {
    const actors = [...[...Array(30)].map((_, n) => person(n)), 'urn:li:organization:2'];
    const { authors, asked } = await list(actors, refusal(403));
    expect(asked).toHaveLength(1);
    expect([authors[29], authors[30]?.name]).toEqual([{ id: person(29), name: '' }, 'Mill']);
  });

  it('are asked for still where one of them is gone', async () => {
    const { asked, authors } = await list([person(1), person(2)], [refusal(404)]);
    expect([asked.length, authors[1]]).toEqual([2, { id: person(2), name: '' }]);
  });
});
