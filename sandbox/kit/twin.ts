/**
 * What a twin is made of. Each piece is opened with the twin's options and the network's own words:
 * - tables: `base` opens `docs`, `files` (with `fetching`), `people` and `settings` (switches) with its limits and ordered
 *   answers, and `world` its pushes as well; `chat`; `due` for what happens by itself later, `days` for what is counted;
 * - its API: `api/gate` surrounds every call, `api/routes` is a table of routes on it, `api/params` and `api/checks`
 *   read what comes, `api/shapes` what must look like a schema, `api/rates` counts, `api/orders` are answers that a test has ordered;
 *   `api/front` is all of it for callers with a token, `api/restli` resources that speak Rest.li, `api/fields` things in
 *   the fields that a call asks for, `api/paging` lists cut by ids that are times, `api/usage` what is used in a month;
 * - its log-in: `oauth/consent` is the page, `oauth/tokens` and `oauth/exchange` what follows it, `oauth/clients` apps of customers;
 * - what it sends: `push/pushes`, on it `push/websub` (a hub) and `push/hooks` (webhooks that prove themselves);
 * - what people do and see: `residents`, `acts`, `blanks`, `drawing`, `site`, `public`.
 * What the network refuses is thrown as a `TwinError` of its own.
 */
import type { Context } from 'koa';
import type { Offer, SandboxPush, Twin, TwinAbout } from '../twin.ts';
import type { makeActs } from './acts.ts';

/** What a twin consists of; everything around it is the same for all of them. */
export type TwinParts = Pick<
  Twin,
  keyof TwinAbout | 'methods' | 'people' | 'cast' | 'find' | 'addPerson' | 'posts' | 'latest' | 'conversations'
> &
  Readonly<{
    /** What answers below each area of the twin; an area nobody answers is a page that does not exist. */
    areas: Readonly<Record<string, (ctx: Context, rest: readonly string[], area: string) => unknown>>;
    acts: ReturnType<typeof makeActs>;
    /** How the control door answers what an act has made. */
    done?(made: unknown): unknown;
    /** What it stands on: people, settings and pushes are shown by the control door, and what it pushes is sent. */
    world?: Readonly<{
      people: Readonly<{ all(): unknown }>;
      settings: Readonly<{ all(): unknown }>;
      pushes?: TwinParts['pushes'];
    }>;
    /** What the control door shows besides, by name. */
    lists?: Readonly<Record<string, () => unknown>>;
    pushes?: Readonly<{
      list(count: number): readonly SandboxPush[];
      kick(): void;
      settle(): Promise<void>;
      close(): void;
    }>;
    /** Lets time do what is due by now; comes before whatever looks at the twin. */
    due?(): void;
    /** Ends what the twin waits for itself; its pushes are ended with it. */
    close?(): void;
    revoke(person: string): void;
    reset(): void;
  }>;

const MOST_PUSHES = 1000;

/** Puts a twin together: areas, acts, lists and pushes behind the one shape the sandbox mounts and the console shows. */
export function makeTwin(parts: TwinParts): Twin {
  const { areas, acts, world, lists: more, pushes = world?.pushes, latest, conversations, ...own } = parts;
  const lists: NonNullable<TwinParts['lists']> = {
    ...(world && { people: world.people.all, settings: world.settings.all }),
    ...(world?.pushes && { pushes: () => world.pushes?.list(MOST_PUSHES) }),
    ...more,
  };
  const { apis, due = () => {}, done = (made: unknown) => ({ done: made ?? null }) } = own;
  return Object.freeze({
    ...own,
    actions: acts.actions,
    async handle(ctx: Context, [area = '', ...rest]: readonly string[]) {
      const answer = Object.hasOwn(areas, area) ? areas[area] : undefined;
      if (answer === undefined) return;
      if (!apis.includes(area)) due();
      await answer(ctx, rest, area);
      pushes?.kick();
    },
    addPerson: (handle: string, displayName: string) => own.addPerson(handle.toLowerCase(), displayName),
    async act(name: string, input: Readonly<Record<string, unknown>>) {
      due();
      const making = acts.act(name, input);
      if (making === undefined) return undefined;
      const made = await making;
      pushes?.kick();
      return done(made);
    },
    look(name: string) {
      due();
      return Object.hasOwn(lists, name) ? lists[name]?.() : undefined;
    },
    ...(latest !== undefined && {
      latest(count: number, offer?: Offer) {
        due();
        return latest(count, offer);
      },
    }),
    ...(conversations !== undefined && {
      conversations(count: number, offer: Offer) {
        due();
        return conversations(count, offer);
      },
    }),
    ...(pushes !== undefined && { pushes: pushes.list, settle: pushes.settle }),
    close() {
      own.close?.();
      pushes?.close();
    },
  });
}
