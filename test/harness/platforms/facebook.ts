import { accountNow } from '../calls/rest.ts';
import type { World, Json } from '../world.ts';
import { doorOf, openConnectPage } from '../calls/stand-ins.ts';

/** Plays people on the simulator of facebook, and looks at what it holds. */
export function facebookOf(world: World) {
  const { act, look } = doorOf(world, 'facebook');

  /** Agrees to a connection in the platform's dialog; answers where the browser is sent, and what it is known by. */
  async function consent(auth_url: string, person: string) {
    const { consents, cookie, back } = await openConnectPage(auth_url);
    const { location } = await act('consent', { url: consents[0], person });
    return { location: new URL(location), cookie, back };
  }

  /** Connects a person of the simulator as a browser would; answers the account's id. */
  async function land(person = 'olivia.sandbox.test', ask: object = {}): Promise<string> {
    const input = { platform: 'facebook', redirect_uri: 'https://app.example.org/done', ...ask };
    const started = await world.rest('POST /v1/accounts/connect', input);
    if (started.status !== 202) throw new Error(JSON.stringify(started.body));
    const { location, back } = await consent(started.body.auth_url, person);
    const end = await back(location.href);
    if (end.get('status') !== 'success') throw new Error(end.toString());
    return end.get('account_id')!;
  }

  return {
    act,
    look,
    consent,
    land,
    /** Lands, and what follows a connection has been done; answers the account. */
    async connect(person?: string, ask?: object): Promise<Json> {
      const account = await land(person, ask);
      await world.settle();
      return accountNow(world, account);
    },
  };
}
