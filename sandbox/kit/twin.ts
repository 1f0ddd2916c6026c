/** Assembles a simulator from the parts in this folder; each network throws its own `TwinError`s. */
import type { Context } from 'koa';
import type { Offer, SandboxPush, Twin, TwinAbout } from '../twin.ts';
import type { makeActs } from './acts.ts';

export type TwinParts = Pick<
  Twin,
  keyof TwinAbout | 'methods' | 'people' | 'cast' | 'find' | 'addPerson' | 'posts' | 'latest' | 'conversations'
> &
  Readonly<{
    /** The handler of each area; other paths are 404. */
    areas: Readonly<Record<string, (ctx: Context, rest: readonly string[], area: string) => unknown>>;
    acts: ReturnType<typeof makeActs>;
    /** Turns an action's result into the control API's response. */
    done?(made: unknown): unknown;
    /** The simulator's base, whose people, settings and deliveries the control API lists. */
    world?: Readonly<{
      people: Readonly<{ all(): unknown }>;
      settings: Readonly<{ all(): unknown }>;
      pushes?: TwinParts['pushes'];
    }>;
    /** Further lists of the control API. */
    lists?: Readonly<Record<string, () => unknown>>;
    pushes?: Readonly<{
      list(count: number): readonly SandboxPush[];
      kick(): void;
      settle(): Promise<void>;
      close(): void;
    }>;
    /** Runs scheduled events that are due, before every access. */
    due?(): void;
    /** Stops the simulator's own timers; deliveries stop anyway. */
    close?(): void;
    revoke(person: string): void;
    reset(): void;
  }>;

const MOST_PUSHES = 1000;

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
