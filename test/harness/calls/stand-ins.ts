import { askRest, type Json } from './requests.ts';

/** Asks the control API of simulators, a list by GET and an act by POST; answers its data. */
export async function askControl(standIns: string, path: string, input?: object): Promise<Json> {
  const method = input === undefined ? 'GET' : 'POST';
  const { status, body } = await askRest(standIns, null, `${method} /__control/${path}`, input);
  if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
  return body.data;
}

/** What people of a simulator do, and what it holds. */
export function doorOf({ root }: Readonly<{ root: string }>, slug: string) {
  const ask = (name: string, input?: object) => askControl(`${root}/sandbox`, `${slug}/${name}`, input);
  return {
    act: async (name: string, input: object = {}): Promise<Json> => (await ask(name, input)).done,
    look: (name: string): Promise<Json> => ask(name),
  };
}

/** Opens our page of a connection in a browser: the consent pages it leads to, and the way back from there. */
export async function openConnectPage(auth_url: string) {
  const page = await fetch(auth_url);
  const links = [...(await page.text()).matchAll(/href="([^"]*)"/g)].map(([, link]) => link!.replaceAll('&amp;', '&'));
  const cookie = page.headers.get('set-cookie')!.split(';')[0]!;
  return {
    consents: links.filter((link) => link.includes('redirect_uri=')),
    cookie,
    /** Comes back from the platform; answers what the client is told. */
    async back(location: string): Promise<URLSearchParams> {
      const answer = await fetch(location, { redirect: 'manual', headers: { Cookie: cookie } });
      return new URL(answer.headers.get('location')!).searchParams;
    },
  };
}
