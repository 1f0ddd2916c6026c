import type { World, Json } from '../world.ts';

/** Plays people on the stand-in of facebook, and looks at what it holds. */
export function facebookOf(world: World) {
  const base = `${world.root}/sandbox/__control/facebook`;
  const read = async (answer: Response): Promise<Json> => {
    const { data } = (await answer.json()) as { data: Json };
    return data;
  };
  const act = async (name: string, input: object = {}): Promise<Json> => {
    const headers = { 'Content-Type': 'application/json' };
    const answer = await fetch(`${base}/${name}`, { method: 'POST', headers, body: JSON.stringify(input) });
    if (!answer.ok) throw new Error(`${name}: ${answer.status} ${await answer.text()}`);
    const { done } = await read(answer);
    return done;
  };
  const facebook = {
    act,
    look: async (name: string): Promise<Json> => read(await fetch(`${base}/${name}`)),

    /** Agrees to a connection in the platform's dialog; answers where the browser is sent, and what it is known by. */
    async consent(auth_url: string, person: string): Promise<{ location: URL; cookie: string }> {
      const page = await fetch(auth_url);
      const href = /href="([^"]*\/dialog\/oauth[^"]*)"/.exec(await page.text())![1]!.replaceAll('&amp;', '&');
      const { location } = await act('consent', { url: href, person });
      return { location: new URL(location), cookie: page.headers.get('set-cookie')!.split(';')[0]! };
    },

    /** Connects a person of the stand-in as a browser would; answers the account's id. */
    async land(person = 'olivia.sandbox.test', ask: object = {}): Promise<string> {
      const input = { platform: 'facebook', redirect_uri: 'https://app.example.org/done', ...ask };
      const started = await world.rest('POST /v1/accounts/connect', input);
      if (started.status !== 202) throw new Error(JSON.stringify(started.body));
      const { location, cookie } = await facebook.consent(started.body.auth_url, person);
      const back = await fetch(location, { redirect: 'manual', headers: { Cookie: cookie } });
      const end = new URL(back.headers.get('location')!).searchParams;
      if (end.get('status') !== 'success') throw new Error(end.toString());
      return end.get('account_id')!;
    },

    /** The same, and what follows a connection has been done; answers the account. */
    async connect(person?: string, ask?: object): Promise<Json> {
      const account = await facebook.land(person, ask);
      await world.settle();
      const accounts = (await world.rest('GET /v1/accounts')).body.data as Json[];
      return accounts.find(({ id }) => id === account);
    },
  };
  return facebook;
}
