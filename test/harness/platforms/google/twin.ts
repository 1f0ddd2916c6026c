import type { Json, World } from '../../world.ts';

export const OLIVIA = 'olivia.sandbox.test';
export const SAM = 'sam.sandbox.test';
export const NORA = 'nora.sandbox.test';
const FRED = 'fred.sandbox.test';
const DONE = 'https://app.example.org/done';

/** Plays people on the stand-in of Google, and looks at what it holds. */
export function googleTwinOf(world: World) {
  const base = `${world.root}/sandbox/__control/google`;
  const read = async (answer: Response): Promise<Json> => ((await answer.json()) as { data: Json }).data;
  const look = async (name: string): Promise<Json> => read(await fetch(`${base}/${name}`));
  const act = async (name: string, input: object = {}): Promise<Json> => {
    const headers = { 'Content-Type': 'application/json' };
    const answer = await fetch(`${base}/${name}`, { method: 'POST', headers, body: JSON.stringify(input) });
    if (!answer.ok) throw new Error(`${name}: ${answer.status} ${await answer.text()}`);
    const done = await read(answer);
    return done?.done ?? done;
  };

  /** Logs in as a person would; what the redirect says in the end. */
  async function login(person = SAM, ask: object = {}, consent: object = {}): Promise<URLSearchParams> {
    const input = { platform: 'google', redirect_uri: DONE, ...ask };
    const started = await world.rest('POST /v1/accounts/connect', input);
    if (started.status !== 202) throw new Error(JSON.stringify(started.body));
    const page = await fetch(started.body.auth_url);
    const links = [...(await page.text()).matchAll(/href="([^"]*)"/g)].map(([, link]) =>
      link!.replaceAll('&amp;', '&'),
    );
    const url = links.find((link) => URL.canParse(link) && new URL(link).pathname.endsWith('/o/oauth2/v2/auth'));
    const { location } = await act('consent', { url, person, ...consent });
    const cookie = page.headers.get('set-cookie')!.split(';')[0]!;
    const back = await fetch(location, { redirect: 'manual', headers: { Cookie: cookie } });
    return new URL(back.headers.get('location')!).searchParams;
  }

  const accountOf = async (id: string): Promise<Json> =>
    ((await world.rest('GET /v1/accounts')).body.data as Json[]).find((one) => one.id === id);

  /** Connects the location of a login, or the one of them that has this title. */
  async function connect(person = SAM, title?: string): Promise<Json> {
    const end = await login(person);
    if (end.get('status') === 'success') {
      await world.settle();
      return accountOf(end.get('account_id')!);
    }
    const pending = end.get('connection_id');
    if (pending === null) throw new Error(end.toString());
    const { profiles } = (await world.rest(`GET /v1/accounts/pending/${pending}`)).body;
    const one = (profiles as Json[]).find(({ display_name }) => display_name === title);
    const chosen = await world.rest(`POST /v1/accounts/pending/${pending}/select`, {
      platform_account_id: one.platform_account_id,
    });
    if (chosen.status !== 201) throw new Error(JSON.stringify(chosen.body));
    await world.settle();
    return accountOf(chosen.body.account_id);
  }

  return Object.freeze({
    act,
    look,
    login,
    connect,
    set: (settings: object) => act('settings', settings),
    /** Somebody reviews the location of an account. */
    review: (account: Json, stars: number, words: string, person = FRED): Promise<Json> =>
      act('write_review', { person, location: placeOf(account), stars: String(stars), text: words }),
    /** The requests of a kind that came to the stand-in. */
    requests: (method: string) => world.product.sandbox!.requests().filter((one) => one.method.startsWith(method)),
  });
}

/** The number of the location that an account is. */
export const placeOf = ({ metadata }: Json): string => (metadata.location as string).split('/').at(-1)!;
