import { digits } from '../kit/ids.ts';
import { openBase } from '../kit/base.ts';
import { countToday } from '../kit/days.ts';
import { isLive } from '../kit/docs.ts';
import type { OrderedError } from '../kit/api/front.ts';
import type { TwinOptions } from '../kit/options.ts';
import { ABOUT } from './about.ts';
import { SETTINGS, type Board, type Pin, type PinterestDocs } from './docs.ts';

export const newId = (): string => `8${digits(17)}`;

export function openWorld(options: TwinOptions) {
  const own = { settings: SETTINGS, userAgent: 'Pinterestbot/1.0', newId, start: '7' };
  const base = openBase<PinterestDocs, typeof SETTINGS, OrderedError>(options, ABOUT, own);
  const { webHost, apiHost } = base;
  const hosts = { cdn: webHost('cdn'), www: webHost('www'), upload: apiHost('upload') };
  return Object.freeze({ ...base, hosts });
}
export type World = ReturnType<typeof openWorld>;

const OWNERS = Object.freeze([
  ['olivia.sandbox.test', 'Harbour Coffee', ['Recipes', 'Cups']],
  ['sam.sandbox.test', 'Single Origin', ['Farms']],
  ['nora.sandbox.test', 'Nora Newcomer', []],
] as const);
const VISITORS = Object.freeze([
  ['fred.sandbox.test', 'Fred Follower'],
  ['mia.sandbox.test', 'Mia Message'],
] as const);

export function makePins(world: World) {
  const { docs, people, hosts, settings, options } = world;
  const { clock } = options;
  const nameOf = (person: string): string => people.byId(person)!.handle;
  function newBoard(page_id: string, about: Pick<Board, 'name' | 'description' | 'privacy'>): Board {
    return docs.put('board', { id: newId(), at: clock.now(), page_id, ...about });
  }

  function remove(pin: Pin): void {
    const versions = [...pin.versions, { action: 'delete', at: clock.now(), record: pin.fields } as const];
    docs.change('pin', pin.id, { deleted_at: clock.now(), versions });
  }

  return Object.freeze({
    nameOf,
    remove,
    removeBoard(board: Board): void {
      docs.change('board', board.id, { deleted_at: clock.now() });
      docs.listLive('pin', { parent: board.id }).forEach(remove);
    },
    newBoard,
    settle(): void {
      for (const [handle, name, boards] of OWNERS) {
        const { id } = people.add(handle, name, true);
        for (const board of boards) newBoard(id, { name: board, description: '', privacy: 'PUBLIC' });
      }
      for (const [handle, name] of VISITORS) people.add(handle, name, false);
    },
    boards: (person: string): readonly Board[] => docs.listLive('board', { page: person }),
    board: (id: string, person?: string): Board | undefined =>
      [docs.getLive('board', id)].find((one) => person === undefined || one?.page_id === person),
    pins: (where: Readonly<{ page?: string; parent?: string }>): readonly Pin[] =>
      docs.listLive('pin', where).toReversed(),
    pin: (id: string): Pin | undefined => docs.getLive('pin', id),
    isPublic: (pin: Pin): boolean =>
      isLive(pin) && !pin.trial && docs.get('board', pin.parent_id)?.privacy !== 'SECRET',
    textOf: ({ fields }: Pin): string => [fields['title'], fields['description']].filter(Boolean).join(': '),
    linkOf: (pin: string): string => `${hosts.www()}/pin/${pin}/`,
    /** Adds a pin at the top of its board. Inside a transaction. */
    put(pin: Pick<Pin, 'page_id' | 'parent_id' | 'fields' | 'pictures' | 'video'>): Pin {
      const at = clock.now();
      const versions = [{ action: 'create', at, record: pin.fields }] as const;
      return docs.put('pin', { ...pin, id: newId(), at, comments: [], versions, trial: settings.get('api_sandbox') });
    },
    change(pin: Pin, patch: Partial<Pin>): Pin {
      const versions = [...pin.versions, { action: 'update', at: clock.now(), record: patch.fields } as const];
      return docs.change('pin', pin.id, { ...patch, versions });
    },
    count: (pin: Pin, ...what: readonly string[]): void =>
      countToday(world, pin, Object.fromEntries(what.map((name) => [name, 1]))),
  });
}
export type Pins = ReturnType<typeof makePins>;
