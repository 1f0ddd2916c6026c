import { accountNow } from '../../calls/rest.ts';
import type { Json, World } from '../../world.ts';
import { doorOf, openConnectPage } from '../../calls/stand-ins.ts';

export const OLIVIA = 'olivia.sandbox.test';
export const SAM = 'sam.sandbox.test';
export const NORA = 'nora.sandbox.test';
const FRED = 'fred.sandbox.test';
const DONE = 'https://app.example.org/done';

/** Plays people on the simulator of Google, and looks at what it holds. */
export function googleTwinOf(world: World) {
  const { act, look } = doorOf(world, 'google');

  /** Logs in as a person would; what the redirect says in the end. */
  async function login(person = SAM, ask: object = {}, consent: object = {}): Promise<URLSearchParams> {
    const input = { platform: 'google', redirect_uri: DONE, ...ask };
    const started = await world.rest('POST /v1/accounts/connect', input);
    if (started.status !== 202) throw new Error(JSON.stringify(started.body));
    const { consents, back } = await openConnectPage(started.body.auth_url);
    const { location } = await act('consent', { url: consents[0], person, ...consent });
    return back(location);
  }

  /** Connects the location of a login, or the one of them that has this title. */
  async function connect(person = SAM, title?: string): Promise<Json> {
    const end = await login(person);
    if (end.get('status') === 'success') {
      await world.settle();
      return accountNow(world, end.get('account_id')!);
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
    return accountNow(world, chosen.body.account_id);
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
