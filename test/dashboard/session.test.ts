import { describe, expect, it } from 'vitest';
import { makeSession, watchWork } from '#dashboard/lib/frame/session.ts';

/** A page of `usr_1`, on a server where somebody has signed in since. */
function aPage() {
  let token = 'first';
  const server: { person: string | undefined; token: string; status: number } = {
    person: 'usr_1',
    token: 'second',
    status: 403,
  };
  const asked: string[] = [];
  const found: string[] = [];
  const held = new Map<string, Promise<void>>();
  const session = makeSession({
    person: 'usr_1',
    token: () => token,
    renew: (to) => void (token = to),
    found: (who) => void found.push(who),
    async fetch(address, init) {
      const given = new Headers(init.headers).get('Rostra-Page')!;
      asked.push(`${address} ${given}`);
      const { person } = server;
      await held.get(address);
      if (person === undefined) return new Response(null, { status: 401 });
      if (address === '/dashboard/session') return Response.json({ person: server.person, token: server.token });
      return new Response(null, { status: given === server.token && address !== '/refused' ? 200 : server.status });
    },
  });
  return { session, server, asked, found, held };
}

describe('a page whose session has ended', () => {
  it('stays, and goes on once the person has signed in again', async () => {
    const { session, server, asked, found } = aPage();
    server.person = undefined;
    expect((await session.fetch('/a')).status).toBe(401);
    expect(found).toEqual(['nobody']);
    server.person = 'usr_1';
    const answers = await Promise.all([session.fetch('/b'), session.fetch('/c')]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(found.at(-1)).toBe('the same');
    expect(asked.slice(-2)).toEqual(['/b second', '/c second']);
  });

  it('sends nothing for somebody else who has signed in', async () => {
    const { session, server, asked, found } = aPage();
    server.person = 'usr_2';
    expect((await session.fetch('/a')).status).toBe(403);
    expect([asked, found]).toEqual([['/a first', '/dashboard/session first'], ['somebody else']]);
  });

  it('believes the later check if the answer from before the sign-in arrives after it', async () => {
    const { session, server, found, held } = aPage();
    const late = Promise.withResolvers<void>();
    server.person = undefined;
    held.set('/dashboard/session', late.promise);
    const before = session.check();
    held.clear();
    server.person = 'usr_1';
    await session.check();
    late.resolve();
    await before;
    expect(found).toEqual(['the same']);
  });
});

it('a refusal for another reason is not sent again', async () => {
  const { session, server, asked, found } = aPage();
  server.token = 'first';
  server.status = 401;
  expect((await session.fetch('/refused')).status).toBe(401);
  expect([asked, found]).toEqual([['/refused first', '/dashboard/session first'], ['the same']]);
});

describe('a page may be left', () => {
  it.each(['input', 'drop'])('before any %s', (name) => {
    const page = new EventTarget();
    const work = watchWork(page);
    expect(work.mayLeave()).toBe(true);
    page.dispatchEvent(new Event(name));
    expect(work.mayLeave()).toBe(false);
  });

  it('unless something is under way', () => {
    let isUnderWay = true;
    const work = watchWork(new EventTarget());
    work.follow(() => isUnderWay);
    expect(work.mayLeave()).toBe(false);
    isUnderWay = false;
    expect(work.mayLeave()).toBe(true);
  });
});
