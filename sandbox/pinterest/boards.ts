import { z } from 'zod';
import { isoTime } from '#kernel/clock.ts';
import { answer } from '../kit/api/routes.ts';
import { utf16 } from '../kit/api/shapes.ts';
import { fixedId } from '../kit/ids.ts';
import { ABOUT } from './about.ts';
import { listed, makeCalls, read, type Call } from './calls.ts';
import { PRIVACY, type Board, type Section } from './docs.ts';
import { noBoard, WORDS } from './errors.ts';
import { newId, type Pins, type World } from './world.ts';

const BoardBody = z.object({
  name: z.string().trim().min(1).max(50),
  description: utf16(500).default(''),
  privacy: z.enum(PRIVACY).default('PUBLIC'),
});
const SectionBody = z.object({ name: z.string().min(1).max(180) });

/** Returns a board of the caller; a secret one needs a scope of its own. */
export function boardOf(pins: Pins, { caller }: Call, id = ''): Board {
  const found = pins.board(id, caller.person);
  if (found === undefined) throw noBoard();
  if (found.privacy === 'SECRET' && !caller.scopes.includes('boards:read_secret')) throw WORDS.noScope();
  return found;
}

export function boardRoutes(world: World, pins: Pins) {
  const { docs, people, hosts, options } = world;
  const { store, clock } = options;
  const call = makeCalls(world);
  const sectionView = ({ id, name }: Section) => ({ id, name });
  function viewOf({ id, page_id, at, name, description, privacy }: Board): object {
    const own = pins.pins({ parent: id });
    const times = { created_at: isoTime(at), board_pins_modified_at: isoTime(own[0]?.at ?? at) };
    const counts = { pin_count: own.length, follower_count: 0, collaborator_count: 0 };
    const media = { image_cover_url: null, pin_thumbnail_urls: [] };
    const owner = { username: pins.nameOf(page_id) };
    return { id, name, description, privacy, owner, media, is_ads_only: false, ...times, ...counts };
  }
  const named = (one: Call) => boardOf(pins, one, one.path['id']);

  return [
    call('GET', '/user_account', 'user_accounts:read', ({ caller: { person: id } }) => {
      const { handle: username, name: business_name } = people.byId(id)!;
      const profile_image = `${hosts.cdn()}/picture/${fixedId(ABOUT.slug, 'picture', id)}.png`;
      const about = { account_type: 'BUSINESS', about: `Pins of ${business_name}`, website_url: '', profile_image };
      const counts = { board_count: pins.boards(id).length, pin_count: pins.pins({ page: id }).length };
      const others = { follower_count: people.followers().length, following_count: 0, monthly_views: 0 };
      return { id, username, business_name, ...about, ...counts, ...others };
    }),
    call('GET', '/boards', 'boards:read', (one) => {
      const { params, caller } = one;
      const privacy = params.oneOf('privacy', ['ALL', 'PUBLIC_AND_SECRET', ...PRIVACY]) ?? 'ALL';
      const some = privacy === 'PUBLIC_AND_SECRET' ? ['PUBLIC', 'SECRET'] : [privacy];
      const wanted = privacy === 'ALL' ? PRIVACY : some;
      const seen = caller.scopes.includes('boards:read_secret') ? wanted : wanted.filter((it) => it !== 'SECRET');
      const isSeen = (board: Board) => seen.includes(board.privacy);
      return listed(one, pins.boards(caller.person).filter(isSeen), viewOf);
    }),
    call('POST', '/boards', 'boards:read boards:write', (one) => {
      const body = read(BoardBody, { ...one.params.values }, 'board');
      if (body.privacy === 'SECRET' && !one.caller.scopes.includes('boards:write_secret')) throw WORDS.noScope();
      return answer(viewOf(store.write(() => pins.newBoard(one.caller.person, body))), 201);
    }),
    call('GET', '/boards/{id}', 'boards:read', (one) => viewOf(named(one))),
    call('DELETE', '/boards/{id}', 'boards:read boards:write', (one) => {
      const board = named(one);
      store.write(() => pins.removeBoard(board));
      return answer('', 204);
    }),
    call('GET', '/boards/{id}/sections', 'boards:read', (one) =>
      listed(one, docs.list('section', { parent: named(one).id }), sectionView),
    ),
    call('POST', '/boards/{id}/sections', 'boards:read boards:write', (one) => {
      const { name } = read(SectionBody, { ...one.params.values }, 'section');
      const section = { id: newId(), at: clock.now(), parent_id: named(one).id, name };
      return answer(sectionView(store.write(() => docs.put('section', section))), 201);
    }),
  ];
}
