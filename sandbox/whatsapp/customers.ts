import { fixedId } from '../kit/ids.ts';
import { ABOUT } from './about.ts';
import type { Customer, PhoneNumber } from './docs.ts';
import type { World } from './world.ts';

/** The first customers: digits, country and name. All numbers are reserved for fiction. */
const RESIDENTS = Object.freeze([
  ['12025550171', 'US', 'Carla Customer'],
  ['447700900172', 'GB', 'Bruno Brandt'],
  ['33639980173', 'FR', 'Zoë Ünder'],
] as const);

export type Customers = ReturnType<typeof makeCustomers>;

/** People with phones, and the ids by which businesses know them. */
export function makeCustomers({ nodes, clock, settings, people }: World) {
  const all = () => nodes.list('customer');
  const put = (number: string, name: string, more: Partial<Customer>): Customer =>
    nodes.put('customer', {
      id: fixedId(ABOUT.slug, 'customer', number),
      at: clock.now(),
      digits: number,
      country: 'US',
      name,
      phone_no: 1,
      blocked: [],
      ...more,
    });
  const userId = ({ id, country, phone_no }: Customer, account: string) =>
    `${country}.${fixedId(ABOUT.slug, 'user', account, id, String(phone_no))}`;

  return Object.freeze({
    /** Those who have a WhatsApp account. */
    all: () => all().filter(({ isStranger }) => isStranger !== true),
    byId: (id: string) => nodes.get('customer', id),
    find: (words: string) =>
      all().find(({ id, digits: number, name, username }) => [id, number, name, username].includes(words)),
    byUserId: (account: string, wanted: string) => all().find((one) => userId(one, account) === wanted),
    /** Finds a person by number. A new number becomes a stranger without WhatsApp. */
    at: (number: string) =>
      all().find((one) => one.digits === number) ?? put(number, `+${number}`, { isStranger: true }),
    add: (number: string, name: string, country: string) => put(number, name, { country }),
    /** To a business, a person with a new number is a different person. */
    renumber: ({ id, phone_no }: Customer, number: string) =>
      nodes.change('customer', id, { digits: number, phone_no: phone_no + 1 }),
    userId,
    userIds: (one: Customer) => Object.fromEntries(people.pages().map(({ id }) => [id, userId(one, id)])),
    /** The ids a business sees: the number, unless the person has a username, and the business-scoped id. */
    idsOf(one: Customer, { page_id }: PhoneNumber): Readonly<{ wa_id?: string; user_id?: string }> {
      const isHidden = one.username !== undefined;
      return {
        ...(!isHidden && { wa_id: one.digits }),
        ...((isHidden || settings.get('user_ids')) && { user_id: userId(one, page_id) }),
      };
    },
    restore(): void {
      for (const [number, country, name] of RESIDENTS) put(number, name, { country });
    },
  });
}
