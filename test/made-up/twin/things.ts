import { route, type RouteCall } from '#sandbox/kit/api/routes.ts';
import { digits } from '#sandbox/kit/ids.ts';
import { FOLLOWERS, stallsOf, type Kind, type Thing } from './docs.ts';
import type { PlazaCaller } from './login.ts';
import { known, Refusal } from './refusals.ts';
import type { Plaza, SETTINGS } from './world.ts';

export type Call = RouteCall<PlazaCaller>;

/** A route of the API. */
export const on = route<PlazaCaller>;

const PAGE = 25;

export const newId = () => `9${digits(16)}`;

/** The id of a post, out of the ticket that it is public under at first. */
export const postId = (id: unknown) => String(id).replace(/^t-/, '');

const shownPerson = (id: unknown) => {
  const { name, handle } = known(FOLLOWERS.find((one) => one.id === id));
  return { id, name, handle };
};

/** A thing as the API shows it. */
export function shown({ page_id: stall, parent_id: under, author, person, ...fields }: Thing): object {
  const own = author === 'owner';
  const said = author !== undefined && { own, author: own ? { id: stall, name: 'Stall' } : shownPerson(author) };
  return { ...fields, stall, under, ...said, ...(person !== undefined && { person: shownPerson(person) }) };
}

/** What calls and people do with things. */
export function makeThings({ docs, settings, options }: Plaza) {
  const make = (kind: Kind, fields: object): Thing =>
    docs.put(kind, { ...fields, id: newId(), at: options.clock.now() });
  /** Whether an id is on one of the lists of the settings. */
  const isOn = (name: keyof typeof SETTINGS, id: unknown) => String(settings.get(name)).split(',').includes(String(id));
  function alive(kind: Kind, id: unknown): Thing {
    const found = docs.get(kind, String(id));
    return known(found?.['gone'] === true ? undefined : found);
  }
  /** A stall of the caller; one that is closed refuses. */
  function stall({ caller }: Call, id: unknown): string {
    const found = known(stallsOf(caller.profile).find((one) => one.id === String(id)));
    if (isOn('closed_stalls', found.id)) throw new Refusal('forbidden', 'The stall is closed.');
    return found.id;
  }
  /** A page of a list, newest first. */
  function page(all: readonly Thing[], { params }: Call) {
    const from = Number(params.query['from'] ?? 0);
    const items = all.toReversed().slice(from, from + PAGE);
    return { items: items.map(shown), ...(from + PAGE < all.length && { next: String(from + PAGE) }) };
  }
  return Object.freeze({
    make,
    isOn,
    alive,
    change(kind: Kind, id: unknown, patch: object): object {
      docs.change(kind, alive(kind, id).id, patch);
      return {};
    },
    stall,
    page,
    /** What a stall has of a kind. */
    ofStall: (kind: Kind) => (call: Call) => {
      const all = docs.list(kind, { page: stall(call, call.params.query['stall']) });
      const left = all.filter(({ gone }) => gone !== true);
      return page(left, call);
    },
    /** The conversation of a stall with a person. */
    threadOf: (page_id: string, person: unknown): Thing =>
      docs.list('thread', { page: page_id }).find((one) => one['person'] === person) ??
      make('thread', { page_id, person }),
    /** Makes something that its mark finds again; answers its id. */
    marked(mark: unknown, kind: Kind, fields: object) {
      const { id, at } = make(kind, fields);
      if (typeof mark === 'string') docs.put('mark', { id: mark, at, made: id });
      return { id };
    },
  });
}
