import { describe, expect, it } from 'vitest';
import { makeSession } from '#dashboard/lib/frame/session.ts';

/** A page of `usr_1`, on a server where somebody has signed in since. */
function aPage() {
  let token = 'first';
  const server: { person: string | undefined; token: string; status: number } = {
    person: 'usr_1',
    token: 'second',
    status: 403,
  };
  const asked: string[] = [];
  const ended: boolean[] = [];
  const session = makeSession({
    person: 'usr_1',
    token: () => token,
    renew: (to) => void (token = to),
    ended: (isOver) => void ended.push(isOver),
    async fetch(address, init) {
      const given = new Headers(init.headers).get('Rostra-Page')!;
      asked.push(`${address} ${given}`);
      if (server.person === undefined) return new Response(null, { status: 401 });
      if (address === '/dashboard/session') return Response.json({ person: server.person, token: server.token });
      return new Response(null, { status: given === server.token && address !== '/refused' ? 200 : server.status });
    },
  });
  return { session, server, asked, ended };
}

describe('a page whose session has ended', () => {
  it('stays, and goes on once the person has signed in again', async () => {
    const { session, server, asked, ended } = aPage();
    server.person = undefined;
    expect((await session.fetch('/a')).status).toBe(401);
    expect(ended).toEqual([true]);
    server.person = 'usr_1';
    const answers = await Promise.all([session.fetch('/b'), session.fetch('/c')]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(ended).toContain(false);
    expect(asked.slice(-2)).toEqual(['/b second', '/c second']);
  });

  it('sends nothing for somebody else who has signed in', async () => {
    const { session, server, asked, ended } = aPage();
    server.person = 'usr_2';
    expect((await session.fetch('/a')).status).toBe(403);
    expect([asked, ended]).toEqual([['/a first', '/dashboard/session first'], [true]]);
  });
});

it('a refusal for another reason is not sent again', async () => {
  const { session, server, asked, ended } = aPage();
  server.token = 'first';
  server.status = 401;
  expect((await session.fetch('/refused')).status).toBe(401);
  expect([asked, ended]).toEqual([['/refused first', '/dashboard/session first'], [false]]);
});
