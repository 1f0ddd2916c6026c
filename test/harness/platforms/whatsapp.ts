import type { Answer, Json, World } from '../world.ts';
import { askControl, doorOf, openConnectPage } from '../calls/stand-ins.ts';

const WANDA = 'wanda.sandbox.test';
export const OTTO = 'otto.sandbox.test';

/** Plays the owners and customers of the simulator of whatsapp, and looks at what it holds. */
export function whatsappOf(world: World) {
  const { act, look } = doorOf(world, 'whatsapp');

  const whatsapp = {
    act,
    look: (name: string): Promise<readonly Json[]> => look(name),

    /** A customer of the simulator, and the first number there is. */
    async customer(name = 'Carla Customer'): Promise<Json> {
      const found = (await whatsapp.look('customers')).find((one) => one.name === name);
      const [{ id: number }] = await look('numbers');
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
      const { consents, back } = await openConnectPage(begun.body.auth_url);
      const { location } = await act('consent', { url: consents[0], person });
      const end = await back(location);
      await world.settle();
      return end;
    },

    /** Connects with the token of a system user; `more` may name another number. */
    async withToken(person: string, more: object = {}): Promise<Answer> {
      const people: readonly Json[] = await askControl(`${world.root}/sandbox`, 'people');
      const { credentials } = people.find(({ handle }) => handle === person);
      const metadata = { ...credentials, ...more };
      const answer = await world.rest('POST /v1/accounts/connect', { platform: 'whatsapp', metadata });
      await world.settle();
      return answer;
    },
  };
  return whatsapp;
}
