import type { Answer, Json, World } from '../world.ts';

export const WANDA = 'wanda.sandbox.test';
export const OTTO = 'otto.sandbox.test';

/** Plays the owners and customers of the stand-in of whatsapp, and looks at what it holds. */
export function whatsappOf(world: World) {
  const base = `${world.root}/sandbox/__control/whatsapp`;
  const read = async (answer: Response): Promise<Json> => ((await answer.json()) as { data: Json }).data;

  async function act(name: string, input: object = {}): Promise<Json> {
    const headers = { 'Content-Type': 'application/json' };
    const answer = await fetch(`${base}/${name}`, { method: 'POST', headers, body: JSON.stringify(input) });
    if (!answer.ok) throw new Error(`${name}: ${answer.status} ${await answer.text()}`);
    return (await read(answer)).done;
  }
  const look = async (name: string): Promise<readonly Json[]> => read(await fetch(`${base}/${name}`));

  const whatsapp = {
    act,
    look,

    /** A customer of the stand-in, and the first number there is. */
    async customer(name = 'Carla Customer'): Promise<Json> {
      const found = (await look('customers')).find((one) => one.name === name);
      const [{ id: number }] = (await look('numbers')) as readonly [Json];
      return { ...found, person: found.id, number };
    },

    /** A customer does something with the first number, and what follows of it has been done. */
    async does(name: string, input: object = {}, who?: string): Promise<Json> {
      const { person, number } = await whatsapp.customer(who);
      const done = await act(name, { person, number, ...input });
      await world.settle();
      return done;
    },

    /** Consents in the dialog as a browser would; answers what the client is told at the end. */
    async consent(person = WANDA, metadata: object = {}): Promise<URLSearchParams> {
      const ask = { platform: 'whatsapp', redirect_uri: 'https://app.example.org/done', metadata };
      const begun = await world.rest('POST /v1/accounts/connect', ask);
      const page = await fetch(begun.body.auth_url);
      const url = /href="([^"]*\/dialog\/oauth[^"]*)"/.exec(await page.text())![1]!.replaceAll('&amp;', '&');
      const { location } = await act('consent', { url, person });
      const cookie = page.headers.get('set-cookie')!.split(';')[0]!;
      const back = await fetch(location, { redirect: 'manual', headers: { Cookie: cookie } });
      await world.settle();
      return new URL(back.headers.get('location')!).searchParams;
    },

    /** Connects with the token of a system user; `more` may name another number. */
    async withToken(person: string, more: object = {}): Promise<Answer> {
      const people = await read(await fetch(`${world.root}/sandbox/__control/people`));
      const { credentials } = (people as readonly Json[]).find(({ handle }) => handle === person)!;
      const metadata = { ...credentials, ...more };
      const answer = await world.rest('POST /v1/accounts/connect', { platform: 'whatsapp', metadata });
      await world.settle();
      return answer;
    },
  };
  return whatsapp;
}
